//! Compiles every `src/bpf/*.bpf.c` with clang through libbpf-cargo and writes `objects.rs`, a table of the objects' bytes
//! by family, and `queries.rs`, a table of the saved queries. Both are found by their files; nothing here names one.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    queries(&out);
    #[cfg(feature = "live")]
    live::build(&out);
}

/// The files of a folder with that ending, in order.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap_or_else(|e| panic!("{} is part of the package: {e}", folder.display()))
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.to_string_lossy().ends_with(ending))
        .collect();
    files.sort();
    files
}

fn queries(out: &Path) {
    let mut table = String::from("pub static QUERIES: &[(&str, &str)] = &[\n");
    for file in files(Path::new("queries"), ".sq") {
        println!("cargo:rerun-if-changed={}", file.display());
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let full = fs::canonicalize(&file).expect("the file was just listed");
        writeln!(table, "    ({name:?}, include_str!({:?})),", full.display().to_string()).unwrap();
    }
    table.push_str("];\n");
    fs::write(out.join("queries.rs"), table).expect("OUT_DIR can be written");
}

#[cfg(feature = "live")]
mod live {
    use std::fmt::Write as _;
    use std::path::Path;
    use std::{env, fs, process};

    pub fn build(out: &Path) {
        println!("cargo:rerun-if-env-changed=CLANG");
        let clang = env::var_os("CLANG").unwrap_or_else(|| "clang".into());
        if process::Command::new(&clang).arg("--version").output().is_err() {
            fail(&format!(
                "{} is needed to build the BPF programs and was not found.\n\
                 Run scripts/setup, or install it (Debian, Ubuntu: apt-get install clang), or set CLANG to its path.\n\
                 To build without the live source: cargo build --no-default-features",
                clang.display()
            ));
        }
        let mut table = String::from("pub static OBJECTS: &[(&str, &[u8])] = &[\n");
        for source in super::files(Path::new("src/bpf"), ".bpf.c") {
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
