//! Translation of a parsed query and a scope into a query of tantivy.

use std::fmt;
use std::sync::Arc;

use tantivy::Term;
use tantivy::query::AutomatonWeight;
use tantivy::query::BooleanQuery;
use tantivy::query::BoostQuery;
use tantivy::query::ConstScoreQuery;
use tantivy::query::DfaWrapper;
use tantivy::query::EmptyQuery;
use tantivy::query::EnableScoring;
use tantivy::query::FuzzyTermQuery;
use tantivy::query::Occur;
use tantivy::query::PhrasePrefixQuery;
use tantivy::query::PhraseQuery;
use tantivy::query::Query;
use tantivy::query::TermQuery;
use tantivy::query::TermSetQuery;
use tantivy::query::Weight;
use tantivy::schema::Field;
use tantivy::schema::IndexRecordOption;

use super::fields;
use super::fields::IndexFields;
use super::fields::MAX_PREFIX_LETTERS;
use super::query::ParsedQuery;
use super::query::QueryTerm;
use super::scope::SearchScope;
use super::tokenizer::tokenize;

/// Weight of a hit in the title. A hit in the body has the weight 1.
const TITLE_WEIGHT: f32 = 5.0;
/// Factor for a word that matches only as a prefix.
const PREFIX_FACTOR: f32 = 0.8;
/// Factor for a word that matches only with typing errors, and for a prefix in the body.
const FUZZY_FACTOR: f32 = 0.1;
/// Weight of a match with the name of the owner.
const OWNER_NAME_WEIGHT: f32 = 0.1;
/// Minimum length, in letters, of an ASCII prefix that is searched in the body.
const MIN_BODY_PREFIX_LETTERS: usize = 3;
/// Maximum number of indexed words that a prefix at the end of a phrase stands for, as the default of
/// tantivy. Each takes about 2 KiB during the search.
const MAX_PHRASE_ENDS: u32 = 50;

/// Maximum number of terms that are looked up one by one. A `TermSetQuery` for more terms
/// intersects them with the whole term dictionary, and only its preparation takes a millisecond.
const MAX_SINGLE_LOOKUPS: usize = 300;

/// A part of a `BooleanQuery`.
type Clause = (Occur, Box<dyn Query>);

/// Builds the query for the nodes in `scope` that match `query`. A query without terms finds
/// nothing.
///
/// An excluded word or phrase must not occur exactly in title or body. A query with only excluded
/// terms finds all other nodes in the scope.
///
/// # Errors
/// No automaton can be built for a word. Not expected.
pub fn build_query(
    fields: &IndexFields,
    query: &ParsedQuery,
    scope: &SearchScope,
) -> tantivy::Result<Box<dyn Query>> {
    if query.is_empty() {
        return Ok(Box::new(EmptyQuery));
    }
    let mut clauses: Vec<Clause> = vec![(Occur::Must, build_scope_query(fields, scope))];
    for term in &query.required {
        clauses.push((Occur::Must, build_required_term_query(fields, term, scope)?));
    }
    for term in &query.excluded {
        let (texts, is_prefix) = match term {
            QueryTerm::Word { text, .. } => (std::slice::from_ref(text), false),
            QueryTerm::Phrase { texts, is_prefix } => (texts.as_slice(), *is_prefix),
        };
        for field in [fields.title, fields.body] {
            clauses.push((Occur::MustNot, build_phrase_query(field, texts, is_prefix)));
        }
    }
    Ok(Box::new(BooleanQuery::new(clauses)))
}

/// Builds the query for all nodes in a scope, with score 0. An empty scope finds nothing.
fn build_scope_query(fields: &IndexFields, scope: &SearchScope) -> Box<dyn Query> {
    let mut alternatives: Vec<Clause> = Vec::new();
    for owner_scope in &scope.owners {
        let owner = build_any_term_query(fields.owner, std::iter::once(owner_scope.owner.as_str()));
        if owner_scope.closed.is_empty() {
            alternatives.push((Occur::Should, owner));
            continue;
        }
        let closed = owner_scope.closed.iter().map(String::as_str);
        let closed = build_any_term_query(fields.within, closed);
        let clauses = vec![(Occur::Must, owner), (Occur::MustNot, closed)];
        alternatives.push((Occur::Should, Box::new(BooleanQuery::new(clauses))));
    }
    if !scope.folders.is_empty() {
        let folders = scope.folders.iter().map(String::as_str);
        alternatives.push((Occur::Should, build_any_term_query(fields.within, folders)));
    }
    if !scope.ids.is_empty() {
        let ids = scope.ids.iter().map(String::as_str);
        alternatives.push((Occur::Should, build_any_term_query(fields.id, ids)));
    }
    Box::new(ConstScoreQuery::new(Box::new(BooleanQuery::new(alternatives)), 0.0))
}

/// Builds the query for a required term in title or body. A phrase matches only exactly, except the
/// end of its last word if `is_prefix` is set.
///
/// A word also matches as a prefix, if `is_prefix` is set, with typing errors, and in the name of
/// the owner. The body is searched for an ASCII prefix only from [`MIN_BODY_PREFIX_LETTERS`]
/// letters on.
fn build_required_term_query(
    fields: &IndexFields,
    term: &QueryTerm,
    scope: &SearchScope,
) -> tantivy::Result<Box<dyn Query>> {
    let mut alternatives: Vec<Clause> = Vec::new();
    let mut add = |query: Box<dyn Query>, weight: f32| {
        alternatives.push((Occur::Should, Box::new(BoostQuery::new(query, weight))));
    };
    match term {
        QueryTerm::Phrase { texts, is_prefix } => {
            add(build_phrase_query(fields.title, texts, *is_prefix), TITLE_WEIGHT);
            add(build_phrase_query(fields.body, texts, *is_prefix), 1.0);
        }
        QueryTerm::Word { text, is_prefix } => {
            let whole = std::slice::from_ref(text);
            add(build_phrase_query(fields.title, whole, false), TITLE_WEIGHT);
            add(build_phrase_query(fields.body, whole, false), 1.0);
            if *is_prefix {
                add(build_title_prefix_query(fields, text), TITLE_WEIGHT * PREFIX_FACTOR);
                if text.chars().count() >= MIN_BODY_PREFIX_LETTERS || !text.is_ascii() {
                    let term = Term::from_field_text(fields.body, text);
                    add(Box::new(FuzzyTermQuery::new_prefix(term, 0, true)), FUZZY_FACTOR);
                }
            }
            let max_typos = count_allowed_typos(text);
            if max_typos > 0 {
                let term = Term::from_field_text(fields.title, text);
                let automaton = Arc::new(FuzzyTermQuery::new(term, max_typos, true).automaton()?);
                for (field, weight) in [(fields.title, TITLE_WEIGHT), (fields.body, 1.0)] {
                    let automaton = automaton.clone();
                    add(Box::new(SimilarWordsQuery { field, automaton }), weight * FUZZY_FACTOR);
                }
            }
            let owners = find_owners_by_name(scope, text, *is_prefix);
            if !owners.is_empty() {
                add(build_any_term_query(fields.owner, owners.into_iter()), OWNER_NAME_WEIGHT);
            }
        }
    }
    Ok(Box::new(BooleanQuery::new(alternatives)))
}

/// A query for entries with a word in a field that an automaton accepts. All entries have the same score.
///
/// Unlike `FuzzyTermQuery`, it shares the automaton with that of another field. Building automata took
/// 6 % of the processor time of a search in 2,000 documents.
#[derive(Clone)]
struct SimilarWordsQuery {
    field: Field,
    automaton: Arc<DfaWrapper>,
}

impl fmt::Debug for SimilarWordsQuery {
    /// Writes the field, because the automaton is large.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SimilarWordsQuery").field("field", &self.field).finish_non_exhaustive()
    }
}

impl Query for SimilarWordsQuery {
    fn weight(&self, _: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(AutomatonWeight::<DfaWrapper>::new(self.field, self.automaton.clone())))
    }
}

/// Builds the query for adjacent words in a field, in this order and without typing errors. One
/// word is a single term. No words find nothing. With `is_prefix`, the last of several words can
/// also be the beginning of a word.
fn build_phrase_query(field: Field, texts: &[String], is_prefix: bool) -> Box<dyn Query> {
    match texts {
        [] => Box::new(EmptyQuery),
        [one] => {
            let term = Term::from_field_text(field, one);
            Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs))
        }
        _ => {
            let terms = texts.iter().map(|text| Term::from_field_text(field, text)).collect();
            if !is_prefix {
                return Box::new(PhraseQuery::new(terms));
            }
            let mut query = PhrasePrefixQuery::new(terms);
            query.set_max_expansions(MAX_PHRASE_ENDS);
            Box::new(query)
        }
    }
}

/// Builds the query for words of the title that start with `text`. Looks up the indexed prefixes,
/// or scans the words if `text` is longer than `MAX_PREFIX_LETTERS`.
fn build_title_prefix_query(fields: &IndexFields, text: &str) -> Box<dyn Query> {
    let indexed_prefix = fields::take_prefix(text, MAX_PREFIX_LETTERS);
    if indexed_prefix.len() < text.len() {
        let term = Term::from_field_text(fields.title, text);
        return Box::new(FuzzyTermQuery::new_prefix(term, 0, true));
    }
    build_any_term_query(fields.title_prefixes, std::iter::once(indexed_prefix))
}

/// Builds the query for entries with any of the terms in a field, compared exactly. All entries
/// have the same score. No terms find nothing.
fn build_any_term_query<'a>(field: Field, texts: impl Iterator<Item = &'a str>) -> Box<dyn Query> {
    let terms: Vec<Term> = texts.map(|text| Term::from_field_text(field, text)).collect();
    if terms.len() > MAX_SINGLE_LOOKUPS {
        return Box::new(TermSetQuery::new(terms));
    }
    let mut alternatives: Vec<Clause> = Vec::with_capacity(terms.len());
    for term in terms {
        alternatives
            .push((Occur::Should, Box::new(TermQuery::new(term, IndexRecordOption::Basic))));
    }
    Box::new(ConstScoreQuery::new(Box::new(BooleanQuery::new(alternatives)), 1.0))
}

/// Returns the maximum number of typing errors (added, missing, wrong or swapped letters) in a word
/// that still matches: 0 up to 4 letters, 1 up to 8 letters, 2 above. Words with digits allow none.
pub fn count_allowed_typos(word: &str) -> u8 {
    if word.chars().any(|letter| letter.is_numeric()) {
        return 0;
    }
    match word.chars().count() {
        0..=4 => 0,
        5..=8 => 1,
        _ => 2,
    }
}

/// Returns the ids of the owners in `scope.names` with the folded word `text` in their name. With
/// `is_prefix`, `text` can also be the beginning of a word. Typing errors do not match.
fn find_owners_by_name<'a>(scope: &'a SearchScope, text: &str, is_prefix: bool) -> Vec<&'a str> {
    let matches = |word: &str| word == text || is_prefix && word.starts_with(text);
    let owners = scope
        .names
        .iter()
        .filter(|(_, name)| tokenize(name).iter().any(|token| matches(&token.text)));
    owners.map(|(owner, _)| owner.as_str()).collect()
}
