//! The keys of the prompt, for help and for the page about it.

/// What is pressed, and what it does.
pub const KEYS: &[(&str, &str)] = &[
    ("Tab", "completes; lists what there is, with what it means"),
    ("Enter", "runs the statement, or asks for more where it cannot end"),
    ("Ctrl-C", "drops what is typed; ends a query that runs, which then shows what it has; a second one abandons it"),
    ("Ctrl-D", "leaves, on an empty line"),
    ("Up Down", "earlier and later statements, each as a whole"),
    ("Ctrl-R", "searches earlier statements"),
    ("Right End", "takes the grey hint"),
    ("Ctrl-A Ctrl-E", "to the beginning, to the end of the line"),
    ("Alt-B Alt-F", "a word back, a word on"),
    ("Ctrl-W Ctrl-U Ctrl-K", "cuts the word before the cursor, the line before it, the line behind it"),
    ("Ctrl-Y", "puts back what was cut"),
    ("Ctrl-_", "takes back the last change"),
    ("Ctrl-L", "clears the screen"),
    ("Ctrl-Z", "suspends schedq, fg goes on"),
];
