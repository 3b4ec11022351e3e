//! What is due: behind a word, and by a rule of the grammar.

use crate::lang::grammar::Rule;

/// What is due after a word.
pub(super) fn argument_of(word: &str) -> Option<&'static str> {
    Some(match word {
        "where" | "having" => "a condition, such as `COLUMN=VALUE`",
        "and" | "or" | "not" => "a condition",
        "by" => "a column",
        "sort" => "a column or a stat",
        "top" | "first" => "a whole number",
        "every" | "for" => "a duration, such as `5s`",
        "save" => "a file's name in quotes",
        "in" => "a list: `(1, 2)`, `0-3,6` or `$name`",
        "uniq" => "a column in brackets, such as `uniq(comm)`",
        "explain" | "analyze" | "verify" => "a query",
        "from" | "to" => "a file's name in quotes",
        "record" => "a set of events, such as `sched`",
        "around" => "a time, and how far on each side of it",
        "show" => "the name of a result",
        "param" => "the name of a parameter",
        "assert" => "a claim, such as `before.p99 < 5ms`",
        "else" => "a text in quotes",
        "compare" => "the names of two results",
        "run" => "a script's file in quotes, or the name of a saved query",
        _ => return None,
    })
}

pub(super) fn noun(rule: Rule) -> Option<&'static str> {
    Some(match rule {
        Rule::EOI => "the end of the statement",
        Rule::query | Rule::family => "the family of a query",
        Rule::where_clause | Rule::by_clause | Rule::having_clause | Rule::sort_clause | Rule::top_clause => "a clause",
        Rule::first_clause | Rule::around_clause | Rule::every_clause | Rule::for_clause | Rule::save_clause => {
            "a clause"
        }
        Rule::where_word | Rule::by_word | Rule::having_word | Rule::sort_word | Rule::top_word => "a clause",
        Rule::first_word | Rule::around_word | Rule::every_word | Rule::for_word | Rule::save_word => "a clause",
        Rule::to_clause => "a clause",
        Rule::event_set => "a set of events",
        Rule::time => "a time",
        Rule::hist_word | Rule::uniq_word | Rule::events_word => "a stat",
        Rule::stats_clause | Rule::stat | Rule::plain_stat | Rule::percentile => "a stat",
        Rule::column | Rule::key | Rule::sort_key | Rule::result_column => "a column",
        Rule::predicate | Rule::all_of | Rule::comparison | Rule::flag => "a condition",
        Rule::value | Rule::bare_word | Rule::bound | Rule::default => "a value",
        Rule::window | Rule::duration => "a duration",
        Rule::path | Rule::text => "a text in quotes",
        Rule::amount | Rule::integer => "a whole number",
        Rule::list | Rule::value_list | Rule::cpu_list => "a list",
        Rule::cpu_range => "a CPU",
        Rule::frame | Rule::operand => "the name of a result",
        Rule::claim | Rule::frame_column => "a column, such as `before.p99`",
        Rule::else_word => "`else`",
        Rule::saved_query => "the name of a saved query",
        Rule::argument => "a parameter",
        Rule::param_name => "the name of a parameter",
        Rule::style => "a style",
        Rule::operator => "an operator",
        Rule::equals => "`=`",
        Rule::comma => "`,`",
        Rule::open => "`(`",
        Rule::close => "`)`",
        Rule::to_word => "`to`",
        Rule::as_word => "`as`",
        Rule::and_word | Rule::or_word => "`and` or `or`",
        Rule::missing_word => "`missing`",
        Rule::direction => "`asc` or `desc`",
        _ => return None,
    })
}
