//! Parser of filters and attribute paths (RFC 7644, 3.4.2.2 and 3.5.2).
//!
//! The parser knows the syntax only. Length, number of terms and depth are bounded while it reads.
//! Everything outside the supported syntax is an error, because a filter that is ignored would match
//! users that the client did not mean.

use serde_json::Value;

use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// URN of the schema of users.
pub const USER_SCHEMA: &str = "urn:ietf:params:scim:schemas:core:2.0:User";

/// Maximum number of characters of a filter or a path.
const MAX_CHARS: usize = 2_000;
/// Maximum number of comparisons in a filter.
const MAX_TERMS: usize = 50;
/// Maximum depth of parentheses, brackets and negations.
const MAX_DEPTH: usize = 10;

/// A filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Filter {
    /// Both match.
    And(Box<Filter>, Box<Filter>),
    /// At least one matches.
    Or(Box<Filter>, Box<Filter>),
    /// The filter does not match.
    Not(Box<Filter>),
    /// A comparison.
    Term(AttributePath, Test),
}

/// A comparison of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Test {
    /// `pr`: the attribute has a value.
    Present,
    /// `eq` with a text.
    Equals(String),
    /// `eq` with a boolean.
    Is(bool),
    /// `co`
    Contains(String),
    /// `sw`
    StartsWith(String),
    /// A comparison that is well-formed, but that the server cannot evaluate. Only in the path of an
    /// attribute that it does not store.
    NotEvaluated,
}

/// An attribute with its position in a resource: `urn:…:User:emails[type eq "work"].value`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AttributePath {
    /// URN of the schema in lower case. None if the path has none.
    pub schema: Option<String>,
    /// Name of the attribute in lower case.
    pub name: String,
    /// Filter in brackets, which selects values of a multi-valued attribute.
    pub values: Option<Box<Filter>>,
    /// Name of the sub-attribute in lower case.
    pub sub: Option<String>,
}

impl AttributePath {
    /// Returns whether the path can name an attribute of the schema of users, not of an extension.
    pub fn is_user_attribute(&self) -> bool {
        self.schema.as_ref().is_none_or(|schema| schema.eq_ignore_ascii_case(USER_SCHEMA))
    }

    /// Returns whether the path names the only multi-valued attribute that the server stores.
    fn is_stored_list(&self) -> bool {
        self.is_user_attribute() && self.name == "emails"
    }

    /// Returns name and sub-attribute, joined by a dot. Without the schema and the filter.
    pub fn dotted_name(&self) -> String {
        match &self.sub {
            Some(sub) => format!("{}.{sub}", self.name),
            None => self.name.clone(),
        }
    }
}

/// Parses a filter.
///
/// # Errors
/// `InvalidFields` for `filter`.
pub fn parse_filter(text: &str) -> Result<Filter> {
    let mut parser = Parser::new("filter", text)?;
    parser.skip_spaces();
    let filter = parser.parse_or()?;
    parser.skip_spaces();
    parser.expect_end()?;
    Ok(filter)
}

/// Parses the path of an attribute.
///
/// # Errors
/// `InvalidFields` for `path`.
pub fn parse_path(text: &str) -> Result<AttributePath> {
    let mut parser = Parser::new("path", text)?;
    let path = parser.parse_attribute()?;
    parser.expect_end()?;
    Ok(path)
}

/// Operators that the server evaluates.
const EVALUATED_OPERATORS: [&str; 4] = ["pr", "eq", "co", "sw"];
/// The other operators of RFC 7644, 3.4.2.2.
const OTHER_OPERATORS: [&str; 6] = ["ne", "ew", "gt", "ge", "lt", "le"];

/// The position in a text, and the numbers that are bounded.
struct Parser<'a> {
    /// Name of the parameter for errors.
    field: &'static str,
    rest: &'a str,
    terms: usize,
    depth: usize,
    in_brackets: bool,
    /// Whether all operators and operands of RFC 7644 are accepted, because the filter selects values that
    /// the server does not store.
    accepts_all: bool,
}

impl<'a> Parser<'a> {
    /// Begins to parse a text.
    ///
    /// # Errors
    /// `InvalidFields` if the text is too long or contains a control character.
    fn new(field: &'static str, text: &'a str) -> Result<Self> {
        if text.chars().nth(MAX_CHARS).is_some() {
            return Err(Error::invalid_field(
                field,
                format!("must have at most {MAX_CHARS} characters"),
            ));
        }
        if text.contains(char::is_control) {
            return Err(Error::invalid_field(field, "must not contain control characters"));
        }
        Ok(Self { field, rest: text, terms: 0, depth: 0, in_brackets: false, accepts_all: false })
    }

    /// Returns an error with the text at which parsing stopped.
    fn fail<T>(&self, expected: &str) -> Result<T> {
        let here: String = self.rest.chars().take(20).collect();
        let place = match here.is_empty() {
            true => "at the end".to_owned(),
            false => format!("before `{here}`"),
        };
        Err(Error::invalid_field(self.field, format!("{expected} expected {place}")))
    }

    /// Consumes spaces. Returns whether there was at least one.
    fn skip_spaces(&mut self) -> bool {
        let rest = self.rest.trim_start_matches(' ');
        let is_moved = rest.len() < self.rest.len();
        self.rest = rest;
        is_moved
    }

    /// Consumes a character if it comes next.
    fn accept(&mut self, char: char) -> bool {
        match self.rest.strip_prefix(char) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Returns the letters that come next.
    fn next_word(&self) -> &'a str {
        let end = self.rest.find(|char: char| !char.is_ascii_alphabetic());
        &self.rest[..end.unwrap_or(self.rest.len())]
    }

    /// Consumes the word if it comes next, in any case, and a space or a parenthesis follows.
    fn accept_keyword(&mut self, keyword: &str) -> bool {
        let word = self.next_word();
        let after = &self.rest[word.len()..];
        let is_keyword = word.eq_ignore_ascii_case(keyword) && after.starts_with([' ', '(']);
        if is_keyword {
            self.rest = after;
        }
        is_keyword
    }

    /// Checks that nothing follows.
    fn expect_end(&self) -> Result<()> {
        if self.rest.is_empty() { Ok(()) } else { self.fail("the end") }
    }

    /// Parses a filter inside parentheses, brackets or a negation, which make it deeper.
    fn parse_deeper(&mut self, end: char) -> Result<Filter> {
        if self.depth == MAX_DEPTH {
            let text = format!("must not be nested deeper than {MAX_DEPTH} levels");
            return Err(Error::invalid_field(self.field, text));
        }
        self.depth += 1;
        self.skip_spaces();
        let filter = self.parse_or()?;
        self.skip_spaces();
        self.depth -= 1;
        if self.accept(end) { Ok(filter) } else { self.fail(&format!("`{end}`")) }
    }

    /// Parses alternatives.
    fn parse_or(&mut self) -> Result<Filter> {
        let mut filter = self.parse_and()?;
        while self.accept_operator("or") {
            self.skip_spaces();
            filter = Filter::Or(Box::new(filter), Box::new(self.parse_and()?));
        }
        Ok(filter)
    }

    /// Parses conditions that must all match.
    fn parse_and(&mut self) -> Result<Filter> {
        let mut filter = self.parse_single()?;
        while self.accept_operator("and") {
            self.skip_spaces();
            filter = Filter::And(Box::new(filter), Box::new(self.parse_single()?));
        }
        Ok(filter)
    }

    /// Consumes a logical operator with a space before it.
    fn accept_operator(&mut self, operator: &str) -> bool {
        let before = self.rest;
        if self.skip_spaces() && self.accept_keyword(operator) {
            return true;
        }
        self.rest = before;
        false
    }

    /// Parses a negation, a filter in parentheses, or a comparison.
    fn parse_single(&mut self) -> Result<Filter> {
        if self.accept('(') {
            return self.parse_deeper(')');
        }
        if self.accept_keyword("not") {
            self.skip_spaces();
            return match self.accept('(') {
                true => Ok(Filter::Not(Box::new(self.parse_deeper(')')?))),
                false => self.fail("`(`"),
            };
        }
        self.parse_term()
    }

    /// Parses a comparison.
    fn parse_term(&mut self) -> Result<Filter> {
        if self.terms == MAX_TERMS {
            let text = format!("must have at most {MAX_TERMS} comparisons");
            return Err(Error::invalid_field(self.field, text));
        }
        self.terms += 1;
        let attribute = self.parse_attribute()?;
        if !self.skip_spaces() {
            return self.fail("a space");
        }
        let operator = self.next_word().to_ascii_lowercase();
        let is_accepted = EVALUATED_OPERATORS.contains(&operator.as_str())
            || self.accepts_all && OTHER_OPERATORS.contains(&operator.as_str());
        if !is_accepted {
            return self.fail("one of the operators `eq`, `co`, `sw`, `pr`");
        }
        self.rest = &self.rest[operator.len()..];
        if operator == "pr" {
            return match self.rest.is_empty() || self.rest.starts_with([' ', ')', ']']) {
                true => Ok(Filter::Term(attribute, Test::Present)),
                false => self.fail("a space"),
            };
        }
        if !self.skip_spaces() {
            return self.fail("a space");
        }
        let test = match self.accepts_all {
            true => self.skip_operand()?,
            false => self.parse_operand(&operator)?,
        };
        Ok(Filter::Term(attribute, test))
    }

    /// Consumes the value of a comparison that the server does not evaluate: a text, a number, a boolean
    /// or null.
    fn skip_operand(&mut self) -> Result<Test> {
        if self.rest.starts_with('"') {
            return self.parse_string().map(|_| Test::NotEvaluated);
        }
        let is_other = |char: char| !(char.is_ascii_alphanumeric() || "+-.".contains(char));
        let (value, rest) = self.rest.split_at(self.rest.find(is_other).unwrap_or(self.rest.len()));
        if serde_json::from_str::<Value>(value).is_err() {
            return self.fail("a text in quotation marks, a number, `true`, `false` or `null`");
        }
        self.rest = rest;
        Ok(Test::NotEvaluated)
    }

    /// Parses the value of a comparison with `eq`, `co` or `sw`.
    fn parse_operand(&mut self, operator: &str) -> Result<Test> {
        if self.rest.starts_with('"') {
            let text = self.parse_string()?;
            return match operator {
                "eq" => Ok(Test::Equals(text)),
                // Every text contains the empty text, so that the filter would match every user.
                _ if text.is_empty() => self.fail("a text that is not empty"),
                "co" => Ok(Test::Contains(text)),
                _ => Ok(Test::StartsWith(text)),
            };
        }
        let word = self.next_word();
        let value = match (operator, word) {
            ("eq", "true") => Test::Is(true),
            ("eq", "false") => Test::Is(false),
            _ => return self.fail("a text in quotation marks"),
        };
        self.rest = &self.rest[word.len()..];
        Ok(value)
    }

    /// Parses a text with the escapes of JSON.
    fn parse_string(&mut self) -> Result<String> {
        let mut is_escaped = false;
        for (index, byte) in self.rest.bytes().enumerate().skip(1) {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' => is_escaped = true,
                b'"' => {
                    let (text, rest) = self.rest.split_at(index + 1);
                    let Ok(text) = serde_json::from_str::<String>(text) else { break };
                    // SQLite ends a text at a null character in some functions.
                    if text.contains('\0') {
                        break;
                    }
                    self.rest = rest;
                    return Ok(text);
                }
                _ => {}
            }
        }
        self.fail("a text in quotation marks with the escapes of JSON")
    }

    /// Parses an attribute with its schema, filter and sub-attribute.
    fn parse_attribute(&mut self) -> Result<AttributePath> {
        let schema = self.parse_schema();
        let name = self.parse_name()?;
        let mut path = AttributePath { schema, name, ..AttributePath::default() };
        if self.rest.starts_with('[') {
            if self.in_brackets {
                return self.fail("an attribute without brackets");
            }
            self.rest = &self.rest[1..];
            self.in_brackets = true;
            self.accepts_all = self.field == "path" && !path.is_stored_list();
            path.values = Some(Box::new(self.parse_deeper(']')?));
            (self.in_brackets, self.accepts_all) = (false, false);
        }
        if self.accept('.') {
            path.sub = Some(self.parse_name()?);
        }
        Ok(path)
    }

    /// Consumes the URN of a schema with its last colon, if one comes next.
    fn parse_schema(&mut self) -> Option<String> {
        let is_urn = self.rest.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("urn:"));
        if !is_urn {
            return None;
        }
        let is_other = |char: char| !(char.is_ascii_alphanumeric() || ":._-".contains(char));
        let end = self.rest.find(is_other).unwrap_or(self.rest.len());
        let colon = self.rest[..end].rfind(':')?;
        let urn = self.rest[..colon].to_ascii_lowercase();
        self.rest = &self.rest[colon + 1..];
        Some(urn)
    }

    /// Parses the name of an attribute: a letter or `$`, then letters, digits, `-` and `_`.
    fn parse_name(&mut self) -> Result<String> {
        let is_other = |char: char| !(char.is_ascii_alphanumeric() || "$-_".contains(char));
        let end = self.rest.find(is_other).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        if !name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '$') {
            return self.fail("the name of an attribute");
        }
        self.rest = rest;
        Ok(name.to_ascii_lowercase())
    }
}
