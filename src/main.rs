use std::process::ExitCode;

fn main() -> ExitCode {
    schedq::cli::main()
}
