//! From a wish and who asks to a query of the index.

use tantivy::Term;
use tantivy::query::BooleanQuery;
use tantivy::query::BoostQuery;
use tantivy::query::ConstScoreQuery;
use tantivy::query::EmptyQuery;
use tantivy::query::FuzzyTermQuery;
use tantivy::query::Occur;
use tantivy::query::PhraseQuery;
use tantivy::query::Query;
use tantivy::query::TermQuery;
use tantivy::query::TermSetQuery;
use tantivy::schema::Field;
use tantivy::schema::IndexRecordOption;

use super::Scope;
use super::fields;
use super::fields::Fields;
use super::fields::LONGEST_BEGINNING;
use super::wish::Part;
use super::wish::Wish;
use super::words::words;

/// What a hit in the title counts, beside one in the body.
const TITLE: f32 = 5.0;
/// What a word counts of which the beginning was given.
const BEGINNING: f32 = 0.8;
/// What a word counts that is spelt nearly so.
const NEAR: f32 = 0.1;
/// What the owner's name counts.
const OWNER: f32 = 0.1;
/// Fewest letters of a beginning that is looked for in the body.
const BODY_BEGINNING: usize = 3;

/// Texts up to which each is looked up by itself. A set of many is met with the index's list of words
/// as a whole, and only to make it ready for that takes a millisecond.
const FEW: usize = 300;

type Clause = (Occur, Box<dyn Query>);

/// The query that finds what is wished for, within what the caller may see.
pub fn query(fields: &Fields, wish: &Wish, scope: &Scope) -> Box<dyn Query> {
    if wish.is_empty() {
        return Box::new(EmptyQuery);
    }
    let mut all: Vec<Clause> = vec![(Occur::Must, visible(fields, scope))];
    for part in &wish.wanted {
        all.push((Occur::Must, wanted(fields, part, scope)));
    }
    for part in &wish.unwanted {
        let texts = match part {
            Part::Word { text, .. } => std::slice::from_ref(text),
            Part::Phrase(texts) => texts,
        };
        for field in [fields.title, fields.body] {
            all.push((Occur::MustNot, exactly(field, texts)));
        }
    }
    Box::new(BooleanQuery::new(all))
}

/// All that the caller may see; counts nothing in the ranking.
fn visible(fields: &Fields, scope: &Scope) -> Box<dyn Query> {
    let mut ways: Vec<Clause> = Vec::new();
    for it in &scope.owners {
        let owner = one_of(fields.owner, std::iter::once(it.owner.as_str()));
        if it.closed.is_empty() {
            ways.push((Occur::Should, owner));
            continue;
        }
        let closed = it.closed.iter().map(String::as_str);
        let clauses = vec![(Occur::Must, owner), (Occur::MustNot, one_of(fields.within, closed))];
        ways.push((Occur::Should, Box::new(BooleanQuery::new(clauses))));
    }
    if !scope.folders.is_empty() {
        let folders = scope.folders.iter().map(String::as_str);
        ways.push((Occur::Should, one_of(fields.within, folders)));
    }
    if !scope.ids.is_empty() {
        ways.push((Occur::Should, one_of(fields.id, scope.ids.iter().map(String::as_str))));
    }
    Box::new(ConstScoreQuery::new(Box::new(BooleanQuery::new(ways)), 0.0))
}

fn wanted(fields: &Fields, part: &Part, scope: &Scope) -> Box<dyn Query> {
    let mut ways: Vec<Clause> = Vec::new();
    let mut way = |query: Box<dyn Query>, worth: f32| {
        ways.push((Occur::Should, Box::new(BoostQuery::new(query, worth))));
    };
    match part {
        Part::Phrase(texts) => {
            way(exactly(fields.title, texts), TITLE);
            way(exactly(fields.body, texts), 1.0);
        }
        Part::Word { text, is_beginning } => {
            let whole = std::slice::from_ref(text);
            way(exactly(fields.title, whole), TITLE);
            way(exactly(fields.body, whole), 1.0);
            if *is_beginning {
                way(title_beginning(fields, text), TITLE * BEGINNING);
                if text.chars().count() >= BODY_BEGINNING || !text.is_ascii() {
                    let term = Term::from_field_text(fields.body, text);
                    way(Box::new(FuzzyTermQuery::new_prefix(term, 0, true)), NEAR);
                }
            }
            let faults = faults(text);
            if faults > 0 {
                for (field, worth) in [(fields.title, TITLE), (fields.body, 1.0)] {
                    let term = Term::from_field_text(field, text);
                    way(Box::new(FuzzyTermQuery::new(term, faults, true)), worth * NEAR);
                }
            }
            let owners = owners_named(scope, text, *is_beginning);
            if !owners.is_empty() {
                way(one_of(fields.owner, owners.into_iter()), OWNER);
            }
        }
    }
    Box::new(BooleanQuery::new(ways))
}

/// Words that follow each other in a field.
fn exactly(field: Field, texts: &[String]) -> Box<dyn Query> {
    match texts {
        [] => Box::new(EmptyQuery),
        [one] => {
            let term = Term::from_field_text(field, one);
            Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs))
        }
        _ => {
            let terms = texts.iter().map(|it| Term::from_field_text(field, it)).collect();
            Box::new(PhraseQuery::new(terms))
        }
    }
}

fn title_beginning(fields: &Fields, text: &str) -> Box<dyn Query> {
    let short = fields::beginning(text, LONGEST_BEGINNING);
    if short.len() < text.len() {
        let term = Term::from_field_text(fields.title, text);
        return Box::new(FuzzyTermQuery::new_prefix(term, 0, true));
    }
    one_of(fields.beginnings, std::iter::once(short))
}

/// Any of some texts; counts nothing in the ranking.
fn one_of<'a>(field: Field, texts: impl Iterator<Item = &'a str>) -> Box<dyn Query> {
    let terms: Vec<Term> = texts.map(|it| Term::from_field_text(field, it)).collect();
    if terms.len() > FEW {
        return Box::new(TermSetQuery::new(terms));
    }
    let mut ways: Vec<Clause> = Vec::with_capacity(terms.len());
    for term in terms {
        ways.push((Occur::Should, Box::new(TermQuery::new(term, IndexRecordOption::Basic))));
    }
    Box::new(ConstScoreQuery::new(Box::new(BooleanQuery::new(ways)), 1.0))
}

/// How many letters of a word may be wrong. Numbers are meant as they are.
pub fn faults(word: &str) -> u8 {
    if word.chars().any(|it| it.is_numeric()) {
        return 0;
    }
    match word.chars().count() {
        0..=4 => 0,
        5..=8 => 1,
        _ => 2,
    }
}

/// The owners in scope that have a word in their name.
fn owners_named<'a>(scope: &'a Scope, text: &str, is_beginning: bool) -> Vec<&'a str> {
    let is_it = |word: &str| word == text || is_beginning && word.starts_with(text);
    let named = scope.names.iter().filter(|(_, name)| words(name).iter().any(|it| is_it(&it.text)));
    named.map(|(owner, _)| owner.as_str()).collect()
}
