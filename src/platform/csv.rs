//! Values of CSV files for spreadsheet programs.
//!
//! Such programs evaluate a value that begins like a formula, also in quotes. A formula can send other
//! cells to a server, so the values of other people must not begin like one.

/// Appends a value, in quotes if it needs them (RFC 4180), without formulas.
pub fn push_value(out: &mut String, value: &str) {
    let value = defuse_formulas(value);
    match value.contains(['"', ',', ';', '\t', '\r', '\n']) {
        true => {
            out.push('"');
            out.push_str(&value.replace('"', "\"\""));
            out.push('"');
        }
        false => out.push_str(&value),
    }
}

/// Returns a value with an apostrophe wherever a spreadsheet would see the beginning of a formula: at
/// the beginning, and after a character that some spreadsheets take as a separator even in quotes.
fn defuse_formulas(value: &str) -> String {
    let begins_formula =
        |text: &str| text.trim_start_matches(' ').starts_with(['=', '+', '-', '@']);
    let mut defused = String::with_capacity(value.len() + 1);
    if begins_formula(value) || value.starts_with(['\t', '\r', '\n']) {
        defused.push('\'');
    }
    for (index, letter) in value.char_indices() {
        defused.push(letter);
        let is_separator = matches!(letter, ';' | '\t' | '\r' | '\n');
        if is_separator && begins_formula(&value[index + letter.len_utf8()..]) {
            defused.push('\'');
        }
    }
    defused
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_quoted_and_defused() {
        let check = |value: &str, want: &str| {
            let mut out = String::new();
            push_value(&mut out, value);
            assert_eq!(out, want);
        };
        check("Sales", "Sales");
        check("", "");
        check("Sales, \"EU\"", "\"Sales, \"\"EU\"\"\"");
        check("two\nlines", "\"two\nlines\"");
        check("=1+1", "'=1+1");
        check("+49", "'+49");
        check("-1", "'-1");
        check("@SUM(A1)", "'@SUM(A1)");
        check("\t=1", "\"'\t'=1\"");
        check(" =1", "' =1");
        check("a;=1", "\"a;'=1\"");
        check("a; -b", "\"a;' -b\"");
        check("a; b", "\"a; b\"");
        check("a\t  @x\r\n+1", "\"a\t'  @x\r\n'+1\"");
        check("=HYPERLINK(\"x\",\"y\")", "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\"");
        check("2027-01-31T12:00:00.000Z", "2027-01-31T12:00:00.000Z");
    }
}
