//! The parameter `q` of lists, such as `'root' in parents and name = 'a' and trashed = false`.

use super::nodes;
use crate::State;
use crate::tree::Node;

/// A condition of a query.
#[derive(Debug)]
pub(super) enum Term {
    /// The node is in the folder with this id in the tree.
    Parent(String),
    /// The node has this name in any case, as at Google.
    Name(String),
    /// The node has this media type, or has it not.
    MediaType(String, bool),
    /// The node is in the trash, or is not.
    Trashed(bool),
}

/// A token of a query.
#[derive(Debug, PartialEq)]
enum Token {
    Text(String),
    Word(String),
}

impl Token {
    /// Returns whether this is a word or an operator.
    fn is_word(&self, text: &str) -> bool {
        *self == Self::Word(text.to_owned())
    }
}

/// A query.
#[derive(Debug)]
pub(super) enum Query {
    Term(Term),
    And(Box<Query>, Box<Query>),
    Or(Box<Query>, Box<Query>),
}

/// Parses a query. Returns None for an invalid one.
pub(super) fn parse(query: &str) -> Option<Query> {
    let tokens = tokenize(query)?;
    let (query, rest) = parse_alternatives(&tokens)?;
    rest.is_empty().then_some(query)
}

/// Parses queries with `or` between them. Returns the rest of the tokens too.
fn parse_alternatives(tokens: &[Token]) -> Option<(Query, &[Token])> {
    let (mut query, mut rest) = parse_conditions(tokens)?;
    while let Some((_, further)) = rest.split_first().filter(|(word, _)| word.is_word("or")) {
        let (next, end) = parse_conditions(further)?;
        query = Query::Or(Box::new(query), Box::new(next));
        rest = end;
    }
    Some((query, rest))
}

/// Parses conditions with `and` between them. Returns the rest of the tokens too.
fn parse_conditions(tokens: &[Token]) -> Option<(Query, &[Token])> {
    let (mut query, mut rest) = parse_group(tokens)?;
    while let Some((_, further)) = rest.split_first().filter(|(word, _)| word.is_word("and")) {
        let (next, end) = parse_group(further)?;
        query = Query::And(Box::new(query), Box::new(next));
        rest = end;
    }
    Some((query, rest))
}

/// Parses a condition, or a query in parentheses. Returns the rest of the tokens too.
fn parse_group(tokens: &[Token]) -> Option<(Query, &[Token])> {
    let (first, inner) = tokens.split_first()?;
    if first.is_word("(") {
        let (query, rest) = parse_alternatives(inner)?;
        let (end, rest) = rest.split_first()?;
        return end.is_word(")").then_some((query, rest));
    }
    let (term, rest) = tokens.split_at_checked(3)?;
    Some((Query::Term(parse_term(term)?), rest))
}

/// Parses a condition.
fn parse_term(tokens: &[Token]) -> Option<Term> {
    let [first, operator, last] = tokens else { return None };
    let Token::Word(operator) = operator else { return None };
    match (first, operator.as_str(), last) {
        (Token::Text(id), "in", Token::Word(field)) if field == "parents" => {
            Some(Term::Parent(nodes::tree_id(id).to_owned()))
        }
        (Token::Word(field), "=" | "!=", Token::Text(text)) => match field.as_str() {
            "name" if operator == "=" => Some(Term::Name(text.clone())),
            "mimeType" => Some(Term::MediaType(text.clone(), operator == "=")),
            _ => None,
        },
        (Token::Word(field), "=", Token::Word(value)) if field == "trashed" => {
            value.parse().ok().map(Term::Trashed)
        }
        _ => None,
    }
}

/// Splits a query into words, operators and quoted texts.
fn tokenize(query: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut characters = query.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            ' ' => {}
            '\'' => {
                let mut text = String::new();
                loop {
                    match characters.next()? {
                        '\'' => break,
                        '\\' => text.push(characters.next().filter(|next| "'\\".contains(*next))?),
                        other => text.push(other),
                    }
                }
                tokens.push(Token::Text(text));
            }
            '=' | '(' | ')' => tokens.push(Token::Word(character.into())),
            '!' => {
                characters.next().filter(|next| *next == '=')?;
                tokens.push(Token::Word("!=".to_owned()));
            }
            first if first.is_ascii_alphabetic() => {
                let mut word = String::from(first);
                while let Some(next) = characters.next_if(char::is_ascii_alphabetic) {
                    word.push(next);
                }
                tokens.push(Token::Word(word));
            }
            _ => return None,
        }
    }
    Some(tokens)
}

impl Query {
    /// Returns whether a node fulfils this query.
    pub(super) fn fulfils(&self, state: &State, node: &Node) -> bool {
        match self {
            Self::Term(term) => fulfils_term(state, node, term),
            Self::And(left, right) => left.fulfils(state, node) && right.fulfils(state, node),
            Self::Or(left, right) => left.fulfils(state, node) || right.fulfils(state, node),
        }
    }

    /// Returns the ids of the folders that this query names.
    pub(super) fn parents(&self) -> Vec<&str> {
        match self {
            Self::Term(Term::Parent(id)) => vec![id],
            Self::Term(_) => Vec::new(),
            Self::And(left, right) | Self::Or(left, right) => {
                [left.parents(), right.parents()].concat()
            }
        }
    }
}

/// Returns whether a node fulfils a condition.
fn fulfils_term(state: &State, node: &Node, term: &Term) -> bool {
    match term {
        Term::Parent(id) => node.parent == *id,
        Term::Name(name) => node.name.to_lowercase() == name.to_lowercase(),
        Term::MediaType(media_type, is_equal) => {
            (nodes::media_type(node) == media_type) == *is_equal
        }
        Term::Trashed(wanted) => state.tree.find(&node.id).is_none() == *wanted,
    }
}
