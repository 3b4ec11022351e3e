mod frame;
mod output;
mod plans;
