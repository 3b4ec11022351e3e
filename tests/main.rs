mod lang;
mod plan;
