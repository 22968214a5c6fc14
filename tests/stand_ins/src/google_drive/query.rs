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

/// Parses the conditions of a query. Returns None for an invalid query.
pub(super) fn parse(query: &str) -> Option<Vec<Term>> {
    let tokens = tokenize(query)?;
    let is_and = |token: &Token| *token == Token::Word("and".to_owned());
    tokens.split(is_and).map(parse_term).collect()
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
            '=' => tokens.push(Token::Word("=".to_owned())),
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

/// Returns whether a node fulfils a condition.
pub(super) fn fulfils(state: &State, node: &Node, term: &Term) -> bool {
    match term {
        Term::Parent(id) => node.parent == *id,
        Term::Name(name) => node.name.to_lowercase() == name.to_lowercase(),
        Term::MediaType(media_type, is_equal) => {
            (nodes::media_type(node) == media_type) == *is_equal
        }
        Term::Trashed(wanted) => state.tree.find(&node.id).is_none() == *wanted,
    }
}
