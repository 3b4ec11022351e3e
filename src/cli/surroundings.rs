//! What of its surroundings the program looks at, declared for the manual: variables of the environment, and files.

/// Variables of the environment, and what they decide.
pub const ENVIRONMENT: &[(&str, &str)] = &[
    ("NO_COLOR", "not empty: no colour, unless --color=always asks for it"),
    ("TERM", "dumb: no colour, no progress, and a prompt without an editor"),
    (
        "LC_ALL",
        "the first of LC_ALL, LC_CTYPE and LANG that is not empty says whether output may go beyond ASCII (UTF-8)",
    ),
    ("LC_CTYPE", "see LC_ALL"),
    ("LANG", "see LC_ALL"),
    ("TZ", "the time zone in which people read and write times of day; else that of the machine"),
    ("XDG_CONFIG_HOME", "where your saved queries are; ~/.config when it is not set"),
    ("XDG_STATE_HOME", "where the prompt's history is; ~/.local/state when it is not set"),
    ("HOME", "your home folder, for the two above"),
];

/// Files and folders, and what they are.
pub const FILES: &[(&str, &str)] = &[
    ("~/.config/schedq/queries/NAME.sq", "your saved queries, for schedq run NAME"),
    ("~/.local/state/schedq/history", "what was typed at the prompt"),
    (
        "FILE.parquet.partial/",
        "a recording while it is made, and what is left of one that was not finished; it can be asked",
    ),
    ("@sample", "the recording that comes with schedq"),
    ("/sys/kernel/btf/vmlinux", "the kernel's types, without which nothing can be watched"),
];
