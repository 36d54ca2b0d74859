/** Where a product lives: pictures that a crew could set up, without a word that the brief would have to prove. */
export type World = {
  readonly place: string;
  readonly person: string;
  /** Of the person: the same in every picture. */
  readonly looks: string;
  /** The close picture that opens the film. */
  readonly hook: string;
  /** The person before the product is there. */
  readonly trouble: string;
  /** Follows the product's name. */
  readonly stage: string;
  /** The product at work; each a scene. */
  readonly uses: readonly string[];
  /** Close pictures; each a scene. */
  readonly details: readonly string[];
};

/** `about` names what the brief may speak of: whole words, beginnings with a star, and pieces where nobody writes spaces. */
type Row = World & { readonly about: string };

/** The first row of which the brief speaks is taken. */
const rows: readonly Row[] = [
  {
    about: "coffee espresso cappuccino roast* barista kaffee* café caffè cafetera кофе* コーヒー 咖啡 커피",
    place: "a small kitchen with a dark wooden counter",
    person: "a woman in her thirties",
    looks: "short dark hair",
    hook: "dark coffee falls in a thin stream into a glass cup and steam curls up",
    trouble: "leans on the counter at dawn, eyes half closed, an empty cup before her",
    stage: "stands on the counter beside a steaming cup, whole beans scattered around it",
    uses: [
      "lifts the cup with both hands and breathes in the steam",
      "pours a second cup for a friend across the counter",
    ],
    details: ["whole roasted beans roll over a dark wooden board", "crema swirls slowly on the surface of an espresso"],
  },
  {
    about: "app software platform dashboard plugin crm api cloud automation saas приложени* アプリ 软件 앱",
    place: "a tidy desk with a laptop and a phone, a plain wall behind",
    person: "a man in his thirties",
    looks: "short curly hair and glasses",
    hook: "a finger hovers over a phone full of unread notices, then stops",
    trouble: "sits between paper notes and three open windows, rubbing his forehead",
    stage: "is open on a phone that stands upright on the desk, one large calm panel on its screen",
    uses: [
      "taps once on the phone and leans back, shoulders dropping",
      "closes the laptop and looks out of the window, smiling",
    ],
    details: [
      "a fingertip touches one large round button on a glass screen",
      "the light of a screen glides over a clean desk top",
    ],
  },
  {
    about:
      "skin skincare serum cream cosmetic* beauty makeup shampoo perfume soap hautpflege* creme crème кожи косметик* 化粧 护肤 화장",
    place: "a bright bathroom shelf of pale stone",
    person: "a woman in her forties",
    looks: "natural skin and tied-back hair",
    hook: "a single drop hangs from a glass pipette and falls",
    trouble: "touches her cheek before the mirror and frowns slightly",
    stage: "stands on pale stone among water drops and one green leaf",
    uses: [
      "strokes a little of it over her cheek with two fingers",
      "turns her face into the morning light, eyes closed",
    ],
    details: ["cream is drawn out in one smooth stroke on glass", "water beads on a smooth surface and runs together"],
  },
  {
    about:
      "run runner running fitness gym sport* training workout yoga bike bicycle cycling sneaker shoe schuh* chaussure zapat* кроссов* 运动 スポーツ 운동",
    place: "an empty running track at the edge of a city, early in the morning",
    person: "a woman in her late twenties",
    looks: "a long braid",
    hook: "a foot lands hard beside a puddle and water sprays toward the lens",
    trouble: "stops on the track, hands on her knees, out of breath",
    stage: "rests on the starting line, the lanes running away behind it",
    uses: [
      "runs past the camera with a long, easy stride",
      "stands at the top of the steps, arms wide, breathing deeply",
    ],
    details: [
      "laces are pulled tight in one quick movement",
      "fabric stretches and springs back over a moving shoulder",
    ],
  },
  {
    about:
      "bread bakery baker cake pizza pasta meal food snack chocolate cheese brot* bäcker* essen pain boulanger* comida cibo хлеб* еда パン 料理 食品 음식",
    place: "a long wooden table in a warm kitchen",
    person: "a man in his forties",
    looks: "rolled-up sleeves",
    hook: "two hands break something warm apart and steam bursts out",
    trouble: "stands before an almost empty fridge and sighs",
    stage: "lies in the middle of the wooden table, flour dust and a linen cloth around it",
    uses: ["takes the first bite and nods slowly", "passes a full plate across the table to friends"],
    details: ["a crust cracks under a knife, crumbs jumping", "oil runs slowly over a warm surface and shines"],
  },
  {
    about:
      "tea juice beer wine water drink lemonade smoothie soda getränk* tee bière cerveza vino напит* чай 饮料 茶 飲料 음료",
    place: "a garden table in late afternoon",
    person: "a woman in her thirties",
    looks: "freckles and a straw hat",
    hook: "ice cubes drop into a glass and the drink splashes up",
    trouble: "fans herself with a hand in the heat, an empty glass beside her",
    stage: "stands on the garden table, cold drops running down its side",
    uses: ["takes a long sip and closes her eyes", "clinks glasses with a friend over the table"],
    details: ["bubbles rise along the inside of a glass", "a slice of fruit sinks through clear liquid"],
  },
  {
    about:
      "fashion dress shirt jacket jeans clothing clothes jewelry jewellery handbag watch mode kleid* vêtement ropa moda одежд* 服装 ファッション 패션",
    place: "a plain studio wall with one tall window",
    person: "a woman in her twenties",
    looks: "a calm face and loose hair",
    hook: "cloth sweeps close past the lens and lets the light through",
    trouble: "holds two hangers before a full wardrobe, undecided",
    stage: "hangs alone on a rail before the plain wall, moving slightly in a draft",
    uses: ["walks toward the camera and turns once on her heel", "looks back over her shoulder on a sunlit street"],
    details: ["a thumb runs along a clean seam", "light slides over the weave of the cloth"],
  },
  {
    about:
      "headphone earbud speaker camera phone smartphone laptop tablet gadget device drone gerät* appareil dispositiv* устройств* 耳机 カメラ 기기",
    place: "a dark desk with one lamp",
    person: "a man in his twenties",
    looks: "a shaved head",
    hook: "a thin line of light runs along an edge in the dark and stops",
    trouble: "untangles a knot of cables and gives up",
    stage: "stands on the dark desk, one edge caught by the lamp",
    uses: ["switches it on with one finger, and his face lights up", "carries it out of the door in one hand"],
    details: ["a fingertip turns a fine ridged dial by one click", "brushed metal catches the light as it turns"],
  },
  {
    about:
      "sofa chair furniture lamp bed mattress home house interior garden plant möbel* wohn* maison meuble casa hogar мебел* 家具 インテリア 가구",
    place: "a quiet living room with a wooden floor",
    person: "a man in his fifties",
    looks: "gray hair and a full beard",
    hook: "a curtain lifts in the wind and light runs across the floor",
    trouble: "looks around a bare room with moving boxes, hands on his hips",
    stage: "stands in the middle of the living room, the evening sun on it",
    uses: [
      "sinks back, lets his arms fall and looks out of the window",
      "reads with a child beside him as the lamp goes on",
    ],
    details: ["a palm strokes over the grain of oiled wood", "the weave of a thick fabric, thread by thread"],
  },
  {
    about: "travel trip hotel flight holiday vacation tour reise* urlaub* voyage viaje viaggio путешеств* 旅行 旅 여행",
    place: "a road along a coast, high above the sea",
    person: "a woman in her thirties",
    looks: "windblown hair",
    hook: "a window shutter swings open onto a bright sea",
    trouble: "stares at gray rain through the window of a bus",
    stage: "comes into view at the end of the coast road, small against the sea",
    uses: ["walks barefoot along the edge of the water", "sets her bag down on a terrace and looks over the bay"],
    details: ["a fingertip follows a road on a paper map", "a wave runs out over wet sand and leaves foam"],
  },
  {
    about: "dog cat pet puppy hund* katze* haustier* chien chat perro gato собак* кошк* ペット 宠物 반려",
    place: "a sunny hallway with a doormat",
    person: "a girl of about ten",
    looks: "two braids",
    hook: "a dog's nose comes close to the lens and sniffs",
    trouble: "kneels beside a dog that turns its head away",
    stage: "lies on the doormat, a dog's paws beside it",
    uses: ["laughs as the dog jumps up at her", "runs through a meadow with the dog ahead"],
    details: ["a paw is laid into an open hand", "short fur ruffles in the wind"],
  },
  {
    about:
      "course learn learning school study student lesson book kurs* lernen schule* cours école curso escuela corso курс* учеб* 课程 学習 교육",
    place: "a table by a window with an open notebook",
    person: "a student of about twenty",
    looks: "a short bob",
    hook: "a pencil draws one clean line across an empty page",
    trouble: "lays her head on a stack of closed books",
    stage: "lies open on the table beside a notebook and a pencil",
    uses: ["writes down a word and looks up, eyes wide", "explains something to a friend with both hands"],
    details: ["a page turns slowly in the light", "a fingertip stops under one line of a page"],
  },
  {
    about:
      "bank money payment invest* insurance finance tax geld* versicherung* argent dinero soldi деньг* 金融 保険 금융",
    place: "a kitchen table in the evening, one lamp on",
    person: "a man in his forties",
    looks: "a short beard",
    hook: "a coin spins on a table and slows down",
    trouble: "sits over a pile of letters, a pen between his teeth",
    stage: "stands in the light of the lamp on the cleared table",
    uses: ["puts the last letter away and breathes out", "lifts a child onto his shoulders in the doorway"],
    details: ["coins settle into a glass jar", "a pen sets one clean tick on paper"],
  },
];

const anywhere: World = {
  place: "a plain table by a large window",
  person: "a woman in her thirties",
  looks: "shoulder-length brown hair",
  hook: "a hand pulls a cloth away from something that cannot be made out yet",
  trouble: "looks at the empty table before her, chin in her hand",
  stage: "stands alone on the table, turned a little to the light",
  uses: ["takes it into her hands and turns it, curious", "hands it to a friend, and both smile"],
  details: [
    "a fingertip follows an edge, light sliding along it",
    "its surface so near that only material and light are left",
  ],
};

export const worldOf = (text: string): World => rows.find(({ about }) => speaksOf(text, about)) ?? anywhere;

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

const speaksOf = (text: string, about: string): boolean =>
  about.split(" ").some((word) => {
    if (unspaced.test(word)) return text.includes(word);
    const ending = word.endsWith("*") ? "" : "(?:e?s)?(?!\\p{L})";
    return new RegExp(`(?<!\\p{L})${word.replace("*", "")}${ending}`, "iu").test(text);
  });
