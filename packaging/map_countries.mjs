// Names of countries for `convert_maps.mjs` that the packages do not have or have wrong.

/** Countries with a short name that images show instead of the official one. */
export const SHORT_NAMES = ["HK", "MO", "PS"];

/** Names that images show instead of those of CLDR, as newspapers write them. */
export const PRINTED_NAMES = {
  en: { CD: "DR Congo", CG: "Republic of the Congo", MM: "Myanmar" },
  de: { CD: "DR Kongo", CG: "Republik Kongo" },
  fr: { CD: "RD Congo", CG: "République du Congo" },
  es: { CD: "RD Congo", CG: "República del Congo" },
  it: { CD: "RD Congo", CG: "Repubblica del Congo" },
  pt: { CD: "RD Congo", CG: "República do Congo" },
  nl: { CD: "DR Congo", CG: "Republiek Congo" },
  pl: { CG: "Republika Konga" },
  da: { CD: "DR Congo", CG: "Republikken Congo" },
};

/** Names of several countries. A table with such a name does not tell the country. */
export const SHARED_NAMES = [
  [["CD", "CG"], "Congo", "Kongo", "コンゴ", "刚果", "剛果", "콩고", "קונגו", "الكونغو"],
];

/** Names of another country that a package has. */
export const WRONG_NAMES = {
  CD: ["República Popular do Congo"], CG: ["República Democrática do Congo"],
  // The same as the code of the European Union.
  US: ["É.-U."],
};

/** Languages of countries, the names of which are found in them too. */
export const OWN_LANGUAGES = {
  AL: "sq", AM: "hy", AZ: "az", BA: "bs", BD: "bn", BG: "bg", BY: "be", CZ: "cs", EE: "et", FI: "fi",
  GE: "ka", GR: "el", HR: "hr", HU: "hu", ID: "id", IE: "ga", IN: "hi", IR: "fa", IS: "is", KZ: "kk",
  LT: "lt", LV: "lv", ME: "sr-Latn", MK: "mk", MY: "ms", NO: "nb", PK: "ur", RO: "ro", RS: "sr",
  RU: "ru", SI: "sl", SK: "sk", TH: "th", TR: "tr", UA: "uk", VN: "vi", XK: "sq",
};

/** Names of countries in tables of banks, agencies, statistical offices and newspapers. */
export const ALIASES = {
  AE: ["UAE", "Emirates", "VAE", "EAU"], BA: ["Bosnia", "Bosnien", "Bosnien-Herzegowina", "Bosnia-Herzegovina", "BiH"],
  BG: ["BUL"], BN: ["Brunei Darussalam"], BO: ["Bolivia (Plurinational State of)", "Bolivia, Plurinational State of"],
  BS: ["The Bahamas", "Bahamas, The"], BY: ["Belorussia", "Weissrussland", "Byelorussia"],
  CD: ["DRC", "DR Congo", "DR Kongo", "RD Congo", "RDC", "Congo DR", "Congo, DR", "Congo, Dem. Rep.", "Congo, Kinshasa",
    "Congo (Kinshasa)", "Democratic Republic of Congo", "Congo, Democratic Republic of the",
    "Congo, Democratic Republic of", "Congo, The Democratic Republic of the", "Dem. Rep. Congo",
    "Dem. Rep. of the Congo", "Kongo, Demokratische Republik",
    "Demokratische Republik Kongo", "Kongo, Dem. Rep.", "Congo Democratic Republic", "Zaire",
    "הרפובליקה הדמוקרטית של קונגו", "الكونغو الديمقراطية", "コンゴ民主", "민주콩고"],
  CG: ["Congo, Rep.", "Congo Republic", "Republic of Congo", "Congo, Republic of the", "Congo, Republic of",
    "Rep. of the Congo", "Congo, Brazzaville", "Congo-Brazzaville", "Kongo, Republik", "Republik Kongo",
    "הרפובליקה של קונגו"],
  CH: ["SUI"], CI: ["Ivory Coast", "Cote d'Ivoire", "Cote dIvoire"], CN: ["PR China", "PRC", "Mainland China",
    "China, People's Republic of", "China (People's Republic of)", "China, Mainland", "VR China",
    "Volksrepublik China"],
  CV: ["Cape Verde", "Kap Verde", "Cabo Verde"], CZ: ["Czech Republic", "Tschechische Republik", "Czech Rep."],
  DE: ["GER", "FRG", "BRD", "Federal Republic of Germany",
    "Germany (until 1990 former territory of the FRG)"], DK: ["DEN"],
  DO: ["Dominican Rep."], EG: ["Egypt, Arab Rep."], EH: ["W. Sahara"],
  FK: ["Falkland Islands (Malvinas)", "Malvinas"], FM: ["Micronesia, Fed. Sts.", "Micronesia (Federated States of)",
    "Micronesia, Federated States of"],
  GB: ["UK", "U.K.", "Great Britain", "Britain", "Grossbritannien",
    "United Kingdom of Great Britain and Northern Ireland"], GE: ["Republic of Georgia"],
  GM: ["Gambia, The", "The Gambia"], GR: ["EL", "Hellas", "GRE"], HK: ["Hong Kong", "Hongkong", "Hong Kong SAR, China",
    "Hong Kong, China", "China, Hong Kong SAR", "Hong Kong SAR"], HR: ["CRO"],
  IE: ["Republic of Ireland", "Ireland, Republic of", "Eire"],
  IR: ["Iran, Islamic Rep.", "Iran (Islamic Republic of)", "Iran, Islamic Republic of"], KG: ["Kyrgyz Republic"],
  KN: ["St. Kitts and Nevis"],
  KP: ["North Korea", "Korea, Dem. People's Rep.", "DPRK", "DPR Korea", "Korea, North", "Dem. People's Republic of Korea",
    "Democratic People's Republic of Korea",
    "Korea, Democratic People's Republic of", "Korea (Democratic People's Republic of)", "Korea, DPR"],
  KR: ["South Korea", "Korea", "Korea, Rep.", "Republic of Korea", "Korea, South", "Korea, Republic of",
    "Korea (Republic of)", "Rep. of Korea", "Corea"], LA: ["Lao PDR", "Laos", "Lao People's Democratic Republic"],
  LC: ["St. Lucia"], LV: ["LAT"], MD: ["Moldova, Republic of", "Republic of Moldova", "Moldawien", "Moldau"],
  MF: ["St. Martin (French part)"],
  MK: ["Macedonia", "FYROM", "FYR Macedonia", "Macedonia, FYR", "Republic of North Macedonia", "Mazedonien", "Macédoine"],
  MM: ["Burma", "Myanmar", "Birma", "Birmanie", "Birmania"], MO: ["Macao", "Macau", "Macao SAR, China", "China, Macao SAR"],
  NL: ["Holland", "The Netherlands", "Netherlands, The", "Netherlands (Kingdom of the)", "NED", "Holanda"],
  PR: ["Puerto Rico (US)"], PS: ["Palestine", "West Bank and Gaza", "State of Palestine", "Palestine, State of",
    "Occupied Palestinian Territory"], PT: ["POR"],
  RU: ["Russian Federation", "Russia", "Russische Föderation"], SA: ["KSA"], SI: ["SLO"],
  SK: ["Slovak Republic", "Slowakische Republik"], SO: ["Somalia, Fed. Rep."], SX: ["Sint Maarten (Dutch part)"],
  SY: ["Syrian Arab Republic"], SZ: ["Swaziland", "Swasiland"],
  TL: ["East Timor", "Osttimor"], TR: ["Turkey", "Turkiye"], TW: ["Taiwan, China", "Chinese Taipei",
    "China, Taiwan Province of China", "Taiwan, Province of China"],
  TZ: ["Tanzania, United Republic of", "United Republic of Tanzania"], UY: ["URU"],
  US: ["USA", "U.S.", "U.S.A.", "United States of America", "America", "EE. UU.", "EUA", "US of America"],
  VA: ["Vatican", "Holy See"], VC: ["St. Vincent and the Grenadines"],
  VE: ["Venezuela, RB", "Venezuela (Bolivarian Republic of)", "Venezuela, Bolivarian Republic of"],
  VG: ["Virgin Islands (British)"], VI: ["Virgin Islands (U.S.)", "Virgin Islands, U.S."],
  NZ: ["新西蘭"], VN: ["Viet Nam"], WF: ["Wallis and Futuna Islands"],
  XK: ["Kosovo", "Kosovo*", "Kosovo (under United Nations Security Council Resolution 1244/99)", "Republic of Kosovo"],
  YE: ["Yemen, Rep."], ZA: ["RSA"],
};

/**
 * Further codes of the International Olympic Committee that differ from those of ISO 3166, as in tables of medals.
 * They count in capital letters only, because many are words or names: Süd, Sam. Codes that are also those of large
 * airports or cities are absent, such as BER, MAD, PAR and VIE: they would turn a table of cities into one of countries.
 */
export const SPORT_CODES = {
  AO: "ANG", AS: "ASA", AW: "ARU", BB: "BAR", BD: "BAN", BF: "BUR", BN: "BRU", BS: "BAH", BT: "BHU", BW: "BOT", BZ: "BIZ",
  CG: "CGO", CR: "CRC", DZ: "ALG", FJ: "FIJ", GD: "GRN", GM: "GAM", GN: "GUI", GQ: "GEQ", GT: "GUA", GW: "GBS", HN: "HON",
  HT: "HAI", ID: "INA", IR: "IRI", KH: "CAM", KN: "SKN", KW: "KUW", LK: "SRI", LS: "LES", LY: "LBA", MM: "MYA", MN: "MGL",
  MR: "MTN", MU: "MRI", MW: "MAW", MY: "MAS", NE: "NIG", NG: "NGR", NI: "NCA", NP: "NEP", OM: "OMA", PH: "PHI", PR: "PUR",
  PS: "PLE", SB: "SOL", SC: "SEY", SD: "SUD", SV: "ESA", TD: "CHA", TG: "TOG", TO: "TGA", TW: "TPE", TZ: "TAN", VC: "VIN",
  VG: "IVB", VI: "ISV", VU: "VAN", WS: "SAM", ZM: "ZAM", ZW: "ZIM",
};
