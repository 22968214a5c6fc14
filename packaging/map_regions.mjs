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
  DE: "SH_01 HH_02 NI_03 HB_04 NW_05 HE_06 RP_07 BW_08 BY_09 SL_10 BE_11 BB_12 MV_13 SN_14 "
    + "ST_15 TH_16",
  US: "AL_01 AK_02 AZ_04 AR_05 CA_06 CO_08 CT_09 DE_10 DC_11 FL_12 GA_13 HI_15 ID_16 IL_17 "
    + "IN_18 IA_19 KS_20 KY_21 LA_22 ME_23 MD_24 MA_25 MI_26 MN_27 MS_28 MO_29 MT_30 NE_31 "
    + "NV_32 NH_33 NJ_34 NM_35 NY_36 NC_37 ND_38 OH_39 OK_40 OR_41 PA_42 RI_44 SC_45 SD_46 "
    + "TN_47 TX_48 UT_49 VT_50 VA_51 WA_53 WV_54 WI_55 WY_56",
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
  AT: "1_AT11 3_AT12 9_AT13 2_AT21 6_AT22 4_AT31 5_AT32 7_AT33 8_AT34",
  DE: "BW_DE1 BY_DE2 BE_DE3 BB_DE4 HB_DE5 HH_DE6 HE_DE7 MV_DE8 NI_DE9 NW_DEA RP_DEB SL_DEC "
    + "SN_DED ST_DEE SH_DEF TH_DEG",
  ES: "GA_ES11 AS_ES12 CB_ES13 PV_ES21 NC_ES22 RI_ES23 AR_ES24 MD_ES30 CL_ES41 CM_ES42 EX_ES43 "
    + "CT_ES51 VC_ES52 IB_ES53 AN_ES61 MC_ES62 CE_ES63 ML_ES64 CN_ES70",
  FR: "IDF_FR1 CVL_FRB BFC_FRC NOR_FRD HDF_FRE GES_FRF PDL_FRG BRE_FRH NAQ_FRI OCC_FRJ ARA_FRK "
    + "PAC_FRL 20R_FRM",
  IT: "21_ITC1 23_ITC2 42_ITC3 25_ITC4 34_ITH3 36_ITH4 45_ITH5 52_ITI1 55_ITI2 57_ITI3 62_ITI4 "
    + "65_ITF1 67_ITF2 72_ITF3 75_ITF4 77_ITF5 78_ITF6 82_ITG1 88_ITG2",
};
