//! Compiles every `src/bpf/*.bpf.c` with clang through libbpf-cargo and writes `objects.rs`, a table of the objects' bytes
//! by family. A family is found by its file; nothing here names one.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    #[cfg(feature = "live")]
    live::build();
}

#[cfg(feature = "live")]
mod live {
    use std::fmt::Write as _;
    use std::path::{Path, PathBuf};
    use std::{env, fs, process};

    pub fn build() {
        let sources = Path::new("src/bpf");
        println!("cargo:rerun-if-changed={}", sources.display());
        println!("cargo:rerun-if-env-changed=CLANG");
        let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
        let clang = env::var_os("CLANG").unwrap_or_else(|| "clang".into());
        if process::Command::new(&clang).arg("--version").output().is_err() {
            fail(&format!(
                "{} is needed to build the BPF programs and was not found.\n\
                 Run scripts/setup, or install it (Debian, Ubuntu: apt-get install clang), or set CLANG to its path.\n\
                 To build without the live source: cargo build --no-default-features",
                clang.display()
            ));
        }
        let mut files: Vec<PathBuf> = fs::read_dir(sources)
            .expect("src/bpf is part of the package")
            .map(|entry| entry.expect("a readable folder").path())
            .filter(|path| path.to_string_lossy().ends_with(".bpf.c"))
            .collect();
        files.sort();
        let mut table = String::from("pub static OBJECTS: &[(&str, &[u8])] = &[\n");
        for source in files {
            println!("cargo:rerun-if-changed={}", source.display());
            let name = source.file_name().unwrap().to_string_lossy().replace(".bpf.c", "");
            let object = out.join(format!("{name}.bpf.o"));
            // v3 is the newest instruction set that clang 14 and Linux 5.10 both know.
            let built = libbpf_cargo::SkeletonBuilder::new()
                .source(&source)
                .obj(&object)
                .clang(&clang)
                .clang_args(["-mcpu=v3", "-Wall", "-Werror"])
                .build();
            if let Err(error) = built {
                fail(&format!("{}: {error:?}", source.display()));
            }
            writeln!(table, "    ({name:?}, include_bytes!({:?})),", object.display().to_string()).unwrap();
        }
        table.push_str("];\n");
        fs::write(out.join("objects.rs"), table).expect("OUT_DIR can be written");
    }

    fn fail(message: &str) -> ! {
        eprintln!("{message}");
        process::exit(1)
    }
}
