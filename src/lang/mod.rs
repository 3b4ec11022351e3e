//! Text to AST and back. The syntax is stated once, in `grammar/schedq.pest`.
pub mod ast;
