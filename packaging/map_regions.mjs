// Tables for `convert_maps.mjs`: codes, groups and names that the packages do not have.

/** Files with the regions of each country. The US and the UK have other sources. */
export const COUNTRY_FILES = {
  AR: "argentina", AT: "austria", AU: "australia", BE: "belgium", BR: "brazil", CA: "canada",
  CH: "switzerland", CL: "chile", CN: "china", CZ: "czech_republic", DE: "germany", DK: "denmark",
  ES: "spain", FI: "finland", FR: "france_regions", GB: "uk", IN: "india", IT: "italy_regions",
  JP: "japan", KR: "korea", MX: "mexico", NL: "netherlands", NO: "norway", PL: "poland",
  RO: "romania", SE: "sweden", TR: "turkey", US: "usa", ZA: "south_africa",
};

/** Owners of the areas of Natural Earth without a code, by the borders of the United Nations. */
export const MADE_UP_CODES = {
  "Somaliland": "SO", "Kosovo": "XK", "N. Cyprus": "CY", "Indian Ocean Ter.": "AU",
  "Siachen Glacier": "IN",
};

/** Longitude and latitude of countries that Natural Earth does not have at this scale. */
export const TINY_COUNTRIES = { TV: [179.2, -8.52] };

/** Codes and names of the regions of metropolitan France by the codes of the source. */
export const FRENCH_REGIONS = {
  "FR-ARA": ["FR-ARA", "Auvergne-Rhône-Alpes"], "FR-BFC": ["FR-BFC", "Bourgogne-Franche-Comté"],
  "FR-BRE": ["FR-BRE", "Bretagne"], "FR-COR": ["FR-20R", "Corse"],
  "FR-CVL": ["FR-CVL", "Centre-Val de Loire"], "FR-GES": ["FR-GES", "Grand Est"],
  "FR-HDF": ["FR-HDF", "Hauts-de-France"], "FR-IDF": ["FR-IDF", "Île-de-France"],
  "FR-NAQ": ["FR-NAQ", "Nouvelle-Aquitaine"], "FR-NOR": ["FR-NOR", "Normandie"],
  "FR-OCC": ["FR-OCC", "Occitanie"], "FR-PAC": ["FR-PAC", "Provence-Alpes-Côte d’Azur"],
  "FR-PDL": ["FR-PDL", "Pays de la Loire"],
};

/** Italian names of regions that the source has in English. */
export const ITALIAN_NAMES = { "Apulia": "Puglia", "Sicily": "Sicilia" };

/** Codes of the regions of the United Kingdom. Those of England are the codes of the statistics. */
export const UK_REGIONS = {
  "North East": "GB-TLC", "North West": "GB-TLD", "Yorkshire and the Humber": "GB-TLE",
  "East Midlands": "GB-TLF", "West Midlands": "GB-TLG", "East": "GB-TLH",
  "Greater London": "GB-TLI", "South East": "GB-TLJ", "South West": "GB-TLK",
  "Wales": "GB-WLS", "Scotland": "GB-SCT", "Northern Ireland": "GB-NIR",
};

function group(groups) {
  const entries = Object.entries(groups).flatMap(([code, [name, members]]) =>
    members.map((member) => [member, [code, name]]));
  return Object.fromEntries(entries);
}

/** Autonomous communities of Spain by the codes of their provinces. */
export const SPANISH_COMMUNITIES = group({
  "ES-AN": ["Andalucía", ["ES-AL", "ES-CA", "ES-CO", "ES-GR", "ES-H", "ES-J", "ES-MA", "ES-SE"]],
  "ES-AR": ["Aragón", ["ES-HU", "ES-TE", "ES-Z"]],
  "ES-AS": ["Principado de Asturias", ["ES-O"]],
  "ES-CB": ["Cantabria", ["ES-S"]],
  "ES-CE": ["Ceuta", ["ES-CE"]],
  "ES-CL": ["Castilla y León",
    ["ES-AV", "ES-BU", "ES-LE", "ES-P", "ES-SA", "ES-SG", "ES-SO", "ES-VA", "ES-ZA"]],
  "ES-CM": ["Castilla-La Mancha", ["ES-AB", "ES-CR", "ES-CU", "ES-GU", "ES-TO"]],
  "ES-CN": ["Canarias", ["ES-GC", "ES-TF"]],
  "ES-CT": ["Cataluña", ["ES-B", "ES-GI", "ES-L", "ES-T"]],
  "ES-EX": ["Extremadura", ["ES-BA", "ES-CC"]],
  "ES-GA": ["Galicia", ["ES-C", "ES-LU", "ES-OR", "ES-PO"]],
  "ES-IB": ["Illes Balears", ["ES-PM"]],
  "ES-MC": ["Región de Murcia", ["ES-MU"]],
  "ES-MD": ["Comunidad de Madrid", ["ES-M"]],
  "ES-ML": ["Melilla", ["ES-ML"]],
  "ES-NC": ["Comunidad Foral de Navarra", ["ES-NA"]],
  "ES-PV": ["País Vasco", ["ES-BI", "ES-SS", "ES-VI"]],
  "ES-RI": ["La Rioja", ["ES-LO"]],
  "ES-VC": ["Comunitat Valenciana", ["ES-A", "ES-CS", "ES-V"]],
});

/** Counties of Norway since 2024 by the codes of the earlier counties. */
export const NORWEGIAN_COUNTIES = group({
  "NO-03": ["Oslo", ["NO-03"]],
  "NO-11": ["Rogaland", ["NO-11"]],
  "NO-15": ["Møre og Romsdal", ["NO-15"]],
  "NO-18": ["Nordland", ["NO-18"]],
  "NO-31": ["Østfold", ["NO-01"]],
  "NO-32": ["Akershus", ["NO-02"]],
  "NO-33": ["Buskerud", ["NO-06"]],
  "NO-34": ["Innlandet", ["NO-04", "NO-05"]],
  "NO-39": ["Vestfold", ["NO-07"]],
  "NO-40": ["Telemark", ["NO-08"]],
  "NO-42": ["Agder", ["NO-09", "NO-10"]],
  "NO-46": ["Vestland", ["NO-12", "NO-14"]],
  "NO-50": ["Trøndelag", ["NO-16", "NO-17"]],
  "NO-55": ["Troms", ["NO-19"]],
  "NO-56": ["Finnmark", ["NO-20"]],
});

/** Present codes and names of regions by the code of the source. An empty code omits the area. */
export const RENAMED_REGIONS = {
  "PL-DS": ["PL-02", "dolnośląskie"], "PL-KP": ["PL-04", "kujawsko-pomorskie"],
  "PL-LU": ["PL-06", "lubelskie"], "PL-LB": ["PL-08", "lubuskie"], "PL-LD": ["PL-10", "łódzkie"],
  "PL-MA": ["PL-12", "małopolskie"], "PL-MZ": ["PL-14", "mazowieckie"],
  "PL-OP": ["PL-16", "opolskie"], "PL-PK": ["PL-18", "podkarpackie"],
  "PL-PD": ["PL-20", "podlaskie"], "PL-PM": ["PL-22", "pomorskie"], "PL-SL": ["PL-24", "śląskie"],
  "PL-SK": ["PL-26", "świętokrzyskie"], "PL-WN": ["PL-28", "warmińsko-mazurskie"],
  "PL-WP": ["PL-30", "wielkopolskie"], "PL-ZP": ["PL-32", "zachodniopomorskie"],
  "MX-DIF": ["MX-CMX", "Ciudad de México"], "MX-X01~": ["", ""], "GR-69": ["", ""],
  "AU-X02~": ["AU-NSW", "New South Wales"], "CN-71": ["", ""], "CN-91": ["", ""],
  "CN-92": ["", ""], "DK-85": ["DK-85", "Sjælland"], "FI-19": ["FI-19", "Varsinais-Suomi"],
  "ZA-NL": ["ZA-KZN", "KwaZulu-Natal"], "BE-WLG": ["BE-WLG", "Liège"], "CZ-PR": ["CZ-PR", "Praha"],
  "CN-NM": ["CN-NM", "Inner Mongolia"], "SE-T": ["SE-T", "Örebro"],
  "TR-46": ["TR-46", "Kahramanmaraş"], "TR-71": ["TR-71", "Kırıkkale"],
  "CH-LU": ["CH-LU", "Luzern"], "CH-SG": ["CH-SG", "St. Gallen"],
};

/** Islands that are so far away that the map of their country would be small, by a point. */
export const DISTANT_ISLANDS = {
  CL: (x) => x < -77,
  JP: (x, y) => x > 138 && y < 32,
  ZA: (x, y) => y < -40,
};

/** Numbers of regions in the statistics of a country: the FIPS codes and the German AGS. */
export const REGION_NUMBERS = {
  DE: "SH:01 HH:02 NI:03 HB:04 NW:05 HE:06 RP:07 BW:08 BY:09 SL:10 BE:11 BB:12 MV:13 SN:14 "
    + " ST:15 TH:16",
  US: "AL:01 AK:02 AZ:04 AR:05 CA:06 CO:08 CT:09 DE:10 DC:11 FL:12 GA:13 HI:15 ID:16 IL:17 "
    + " IN:18 IA:19 KS:20 KY:21 LA:22 ME:23 MD:24 MA:25 MI:26 MN:27 MS:28 MO:29 MT:30 NE:31 "
    + " NV:32 NH:33 NJ:34 NM:35 NY:36 NC:37 ND:38 OH:39 OK:40 OR:41 PA:42 RI:44 SC:45 SD:46 "
    + " TN:47 TX:48 UT:49 VT:50 VA:51 WA:53 WV:54 WI:55 WY:56",
};

/** Names of regions in English and in other languages of the country. */
export const REGION_ALIASES = {
  "AT-1": ["Burgenland"], "AT-2": ["Carinthia"], "AT-3": ["Lower Austria"], "AT-4": ["Upper Austria"],
  "AT-6": ["Styria"], "AT-7": ["Tyrol"], "AT-9": ["Vienna"],
  "BE-BRU": ["Bruxelles", "Brussel", "Brüssel"], "BE-VAN": ["Antwerpen", "Anvers"],
  "BE-VBR": ["Vlaams-Brabant", "Flämisch-Brabant"], "BE-VOV": ["Oost-Vlaanderen", "Ostflandern"],
  "BE-VWV": ["West-Vlaanderen", "Westflandern"], "BE-WBR": ["Brabant wallon"],
  "BE-WHT": ["Hennegau", "Henegouwen"], "BE-WLG": ["Liège", "Lüttich", "Luik"],
  "CH-BE": ["Bern", "Berne"], "CH-FR": ["Freiburg", "Fribourg"], "CH-GE": ["Genf", "Geneva", "Genève"],
  "CH-GR": ["Graubünden", "Grisons", "Grigioni"], "CH-LU": ["Luzern", "Lucerne"],
  "CH-NE": ["Neuenburg"], "CH-TI": ["Tessin"], "CH-VD": ["Waadt"], "CH-VS": ["Wallis"],
  "CH-ZH": ["Zurich"], "CH-SG": ["St. Gallen", "Sankt Gallen"],
  "DE-BY": ["Bavaria"], "DE-HE": ["Hesse"], "DE-MV": ["Mecklenburg-Western Pomerania"],
  "DE-NI": ["Lower Saxony"], "DE-NW": ["North Rhine-Westphalia", "NRW"],
  "DE-RP": ["Rhineland-Palatinate"], "DE-SN": ["Saxony"], "DE-ST": ["Saxony-Anhalt"],
  "DE-TH": ["Thuringia"],
  "ES-AN": ["Andalusia"], "ES-AR": ["Aragon"], "ES-AS": ["Asturias"], "ES-CL": ["Castile and León"],
  "ES-CM": ["Castile-La Mancha"], "ES-CN": ["Canary Islands", "Islas Canarias"],
  "ES-CT": ["Catalonia", "Catalunya"], "ES-IB": ["Balearic Islands", "Islas Baleares", "Baleares"],
  "ES-MC": ["Murcia"], "ES-MD": ["Madrid"], "ES-NC": ["Navarra", "Navarre"],
  "ES-PV": ["Basque Country", "Euskadi"],
  "ES-VC": ["Comunidad Valenciana", "Valencian Community", "Valencia"],
  "FR-20R": ["Corsica", "FR-COR"], "FR-BRE": ["Brittany"], "FR-BFC": ["Burgundy-Franche-Comté"],
  "FR-NOR": ["Normandy"], "FR-PAC": ["PACA", "Provence-Alpes-Côte-d’Azur"],
  "GB-TLH": ["East of England"], "GB-TLI": ["London"],
  "IT-21": ["Piedmont"], "IT-23": ["Aosta Valley"], "IT-25": ["Lombardy"],
  "IT-32": ["Trentino-Alto Adige/Südtirol", "Trentino-South Tyrol"], "IT-52": ["Tuscany"],
  "IT-75": ["Apulia"], "IT-82": ["Sicily"], "IT-88": ["Sardinia"],
  "MX-CMX": ["Mexico City", "CDMX"], "MX-MEX": ["Estado de México"],
  "NL-FR": ["Fryslân"], "NL-NB": ["North Brabant"], "NL-NH": ["North Holland"],
  "NL-ZH": ["South Holland"],
  "SE-M": ["Scania"], "SE-T": ["Örebro"],
  "US-DC": ["Washington, D.C.", "Washington DC", "D.C."],
};

/** Names of regions in English, German and other languages that tables often have. */
export const REGION_EXONYMS = {
  "AR-C": ["CABA"], "AU-NSW": ["Neusüdwales"], "AU-SA": ["Südaustralien"], "AU-TAS": ["Tasmanien"],
  "AU-WA": ["Westaustralien"], "AT-2": ["Kaernten"], "AT-3": ["Niederoesterreich"],
  "AT-4": ["Oberoesterreich"], "BE-BRU": ["Brussels-Capital", "Brussels Capital Region", "Brussels-Capital Region"],
  "BE-WBR": ["Wallonisch-Brabant"], "BE-WLG": ["Liege"], "BR-DF": ["Brasilia", "Federal District"],
  "CA-BC": ["Britisch-Kolumbien"], "CA-NB": ["Neubraunschweig"], "CA-NL": ["Neufundland und Labrador"],
  "CA-NS": ["Neuschottland"], "CH-BL": ["Basel-Land", "Baselland"], "CH-GR": ["Graubuenden"],
  "CH-SO": ["Soleure"], "CH-ZH": ["Zuerich"], "CL-AR": ["Araucania"], "CL-LI": ["O'Higgins"],
  "CL-MA": ["Magallanes"], "CL-RM": ["Metropolitana", "Santiago"], "CN-BJ": ["Peking"],
  "CN-NM": ["Inner Mongolia", "Innere Mongolei", "Inner Mongol"], "CN-XZ": ["Tibet"],
  "CZ-JC": ["South Bohemia", "South Bohemian", "Südböhmen", "Jihočeský kraj"],
  "CZ-JM": ["South Moravia", "South Moravian", "Südmähren"],
  "CZ-KA": ["Karlovy Vary", "Karlsbad"], "CZ-KR": ["Hradec Králové", "Königgrätz"],
  "CZ-LI": ["Liberec", "Reichenberg"], "CZ-MO": ["Moravia-Silesia", "Moravian-Silesian", "Mährisch-Schlesien"],
  "CZ-OL": ["Olomouc", "Olmütz"], "CZ-PA": ["Pardubice", "Pardubitz"], "CZ-PL": ["Plzeň", "Pilsen"],
  "CZ-PR": ["Prague", "Prag", "Hlavní město Praha"], "CZ-ST": ["Central Bohemia", "Central Bohemian", "Mittelböhmen"],
  "CZ-US": ["Ústí nad Labem", "Aussig"], "CZ-VY": ["Kraj Vysočina"], "CZ-ZL": ["Zlín"],
  "DE-BW": ["Baden-Wuerttemberg"], "DE-HB": ["Freie Hansestadt Bremen"],
  "DE-MV": ["Meck-Pomm", "Mecklenburg-West Pomerania"], "DE-TH": ["Thueringen"],
  "DK-81": ["North Denmark", "Nordjütland", "North Jutland"], "DK-82": ["Central Denmark", "Mitteljütland"],
  "DK-83": ["Southern Denmark", "Süddänemark"], "DK-85": ["Zealand", "Seeland"],
  "ES-AN": ["Andalusien"], "ES-AR": ["Aragonien"], "ES-AS": ["Asturien"], "ES-CB": ["Kantabrien"],
  "ES-CL": ["Kastilien und León", "Kastilien-León"], "ES-CM": ["Kastilien-La Mancha"],
  "ES-CN": ["Kanarische Inseln", "Kanaren"], "ES-CT": ["Katalonien"], "ES-GA": ["Galicien"],
  "ES-IB": ["Balearen", "Balearische Inseln"], "ES-PV": ["Baskenland"],
  "FI-13": ["Nordkarelien"], "FI-19": ["Southwest Finland", "Finland Proper"],
  "FR-20R": ["Korsika"], "FR-BFC": ["Burgund-Franche-Comté", "Bourgogne-Franche-Comte"],
  "FR-NAQ": ["New Aquitaine", "Neu-Aquitanien"], "FR-OCC": ["Occitania", "Okzitanien"],
  "GB-NIR": ["Nordirland"], "GB-SCT": ["Schottland"], "GB-TLC": ["North East England"],
  "GB-TLD": ["North West England"], "GB-TLE": ["Yorkshire & Humber"], "GB-TLJ": ["South East England"],
  "GB-TLK": ["South West England"], "IN-DL": ["NCT of Delhi"], "IN-OR": ["Orissa"], "IN-UT": ["Uttaranchal"],
  "IN-WB": ["Westbengalen"], "IT-21": ["Piemont"], "IT-23": ["Aostatal"], "IT-25": ["Lombardei"],
  "IT-32": ["Trentino-Südtirol"], "IT-34": ["Venetien", "Venetia"], "IT-36": ["Friaul-Julisch Venetien"],
  "IT-42": ["Ligurien"], "IT-52": ["Toskana"], "IT-55": ["Umbrien"], "IT-57": ["Marken", "The Marches"],
  "IT-62": ["Latium"], "IT-65": ["Abruzzen"], "IT-72": ["Kampanien"], "IT-75": ["Apulien"],
  "IT-77": ["Basilikata"], "IT-78": ["Kalabrien"], "IT-82": ["Sizilien"], "IT-88": ["Sardinien"],
  "JP-01": ["北海道"], "JP-22": ["静岡県"], "JP-26": ["京都府"], "JP-27": ["大阪府"], "KR-11": ["서울"], "MX-MEX": ["State of Mexico"],
  "NL-NB": ["Nordbrabant"], "NL-NH": ["Nordholland"], "NL-ZE": ["Seeland"], "NL-ZH": ["Südholland"],
  "PL-02": ["Lower Silesia", "Niederschlesien"], "PL-04": ["Kuyavia-Pomerania", "Kujawien-Pommern"],
  "PL-08": ["Lubusz", "Lebus"], "PL-12": ["Lesser Poland", "Kleinpolen"],
  "PL-14": ["Masovia", "Mazovia", "Masowien"], "PL-16": ["Oppeln"],
  "PL-18": ["Subcarpathia", "Karpatenvorland"], "PL-20": ["Podlasie", "Podlachien"],
  "PL-22": ["Pomerania", "Pommern"], "PL-24": ["Silesia", "Schlesien"],
  "PL-26": ["Holy Cross", "Heiligkreuz"], "PL-28": ["Warmia-Masuria", "Ermland-Masuren"],
  "PL-30": ["Greater Poland", "Großpolen"], "PL-32": ["West Pomerania", "Westpommern"],
  "SE-M": ["Schonen"], "TR-46": ["K. Maras"], "US-CA": ["Kalifornien", "Calif."], "US-NC": ["Nordkarolina"],
  "US-SC": ["Südkarolina"], "US-TX": ["Tex."], "ZA-EC": ["Ostkap"], "ZA-FS": ["Freistaat"],
  "ZA-NC": ["Nordkap"], "ZA-NW": ["Nordwest"], "ZA-WC": ["Westkap"],
};

/** Other spellings in English, German and in the tables of statistical offices. */
export const REGION_SPELLINGS = {
  "AT-1": ["Land Burgenland"], "AT-5": ["Land Salzburg", "Bundesland Salzburg"], "AT-7": ["Tirolo"],
  "AT-9": ["Stadt Wien", "Bundesland Wien"], "CH-AG": ["Argovie"],
  "CH-AI": ["Appenzell I.Rh.", "Appenzell IR"], "CH-AR": ["Appenzell A.Rh.", "Appenzell AR"],
  "CH-BE": ["Canton of Bern"], "CH-BL": ["Basel-Country", "Bâle-Campagne", "Basilea Campagna"],
  "CH-BS": ["Basle-City"], "CH-FR": ["Canton of Fribourg"], "CH-GE": ["Canton of Geneva"],
  "CH-TG": ["Thurgovie", "Turgovia"], "CH-VD": ["Canton of Vaud"], "CH-VS": ["Canton of Valais"],
  "CH-ZH": ["Canton of Zurich"], "DE-BW": ["BaWü"], "DE-BY": ["Baiern", "Free State of Bavaria"],
  "DE-HB": ["Hansestadt Bremen"], "DE-HH": ["Hansestadt Hamburg"],
  "DE-MV": ["Mecklenburg-Vorp.", "Mecklenburg-Western-Pomerania"], "DE-NW": ["Nordrhein-Westf."],
  "DE-SL": ["Saar"], "DE-SN": ["Free State of Saxony"],
  "DE-TH": ["Free State of Thuringia"], "ES-AN": ["Andalucia"], "ES-AS": ["Asturias, Principado de"],
  "ES-CB": ["Kantabria"], "ES-CE": ["Ciudad de Ceuta", "Ciudad Autónoma de Ceuta"],
  "ES-CL": ["Castilla-León", "Castile-Leon"], "ES-CM": ["Castilla La Mancha", "Castile-La-Mancha"],
  "ES-CN": ["Canarias, Islas", "Canaries"], "ES-EX": ["Estremadura"],
  "ES-IB": ["Balears, Illes", "Balearics", "Islas Baleares"],
  "ES-MC": ["Murcia, Región de", "Region of Murcia", "Region Murcia"],
  "ES-MD": ["Madrid, Comunidad de", "Community of Madrid", "Autonome Gemeinschaft Madrid"],
  "ES-ML": ["Ciudad de Melilla", "Ciudad Autónoma de Melilla"],
  "ES-NC": ["Navarra, Comunidad Foral de", "Nafarroa"],
  "ES-PV": ["Basque Autonomous Community"], "ES-RI": ["Rioja, La"],
  "ES-VC": ["Valencian Region", "Autonome Gemeinschaft Valencia", "Comunidad de Valencia"],
  "FR-20R": ["Collectivité de Corse"], "FR-ARA": ["Auvergne and Rhône-Alpes"],
  "FR-BFC": ["Burgundy and Franche-Comté", "Burgund-Freigrafschaft"], "FR-BRE": ["Breizh"],
  "FR-CVL": ["Centre Region", "Zentrum-Loiretal"],
  "FR-IDF": ["Paris Region", "Région parisienne"], "FR-NOR": ["Region Normandie"],
  "FR-PAC": ["Provence-Alpes-Azurküste"],
  "FR-PDL": ["Loire Region", "Pays de Loire"],
  "IT-23": ["Valle d'Aosta/Vallée d'Aoste", "Vallée d'Aoste"],
  "IT-32": ["Trentino-Alto-Adige", "Trient-Südtirol", "Trentino / Alto Adige"],
  "IT-36": ["Friuli", "Friaul", "Friaul-Julisch-Venetien"],
  "IT-45": ["Emilia Romagna"], "IT-57": ["Le Marche"], "IT-65": ["Abruzzi"],
  "IT-77": ["Lucania"], "JP-39": ["Kochi-ken", "高知県"], "JP-44": ["Oita-ken", "大分県"],
};

/** Codes of Eurostat (NUTS 2024) for the regions that are one unit of it. */
export const NUTS_CODES = {
  AT: "1:AT11 3:AT12 9:AT13 2:AT21 6:AT22 4:AT31 5:AT32 7:AT33 8:AT34",
  DE: "BW:DE1 BY:DE2 BE:DE3 BB:DE4 HB:DE5 HH:DE6 HE:DE7 MV:DE8 NI:DE9 NW:DEA RP:DEB SL:DEC "
    + " SN:DED ST:DEE SH:DEF TH:DEG",
  ES: "GA:ES11 AS:ES12 CB:ES13 PV:ES21 NC:ES22 RI:ES23 AR:ES24 MD:ES30 CL:ES41 CM:ES42 EX:ES43 "
    + " CT:ES51 VC:ES52 IB:ES53 AN:ES61 MC:ES62 CE:ES63 ML:ES64 CN:ES70",
  FR: "IDF:FR1 CVL:FRB BFC:FRC NOR:FRD HDF:FRE GES:FRF PDL:FRG BRE:FRH NAQ:FRI OCC:FRJ ARA:FRK "
    + " PAC:FRL 20R:FRM",
  IT: "21:ITC1 23:ITC2 42:ITC3 25:ITC4 34:ITH3 36:ITH4 45:ITH5 52:ITI1 55:ITI2 57:ITI3 62:ITI4 "
    + " 65:ITF1 67:ITF2 72:ITF3 75:ITF4 77:ITF5 78:ITF6 82:ITG1 88:ITG2",
};
