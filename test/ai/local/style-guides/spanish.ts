import type { StyleGuideText } from "./style-guide-text.ts";

export const spanishTexts: readonly StyleGuideText[] = [
  {
    name: "fields with colons",
    text: `Tono: cercano, honesto y divertido
Ritmo: ni rápido ni lento
Colores: azul marino, #FF6B35
Cámara: en mano, planos cortos
Incluir siempre: la bolsa de papel, una taza humeante
Evitar: vasos de plástico, neón`,
    expected: {
      tone: "cercano, honesto y divertido",
      tempo: "medium",
      color_palette: ["#000080", "#ff6b35"],
      camera_style: "en mano, planos cortos",
      must_include: ["bolsa de papel", "una taza humeante"],
      must_avoid: ["vasos de plástico", "neón"],
    },
  },
  {
    name: "prose about a brand",
    text: "Somos una marca joven y atrevida. Los cortes son rápidos y la cámara siempre se mueve. Tuteamos a la gente. Nunca mostramos alcohol ni tabaco. No queremos música triste.",
    expected: {
      tone: "joven, atrevido",
      tempo: "fast",
      camera_style: "la cámara siempre se mueve.",
      brand_voice: "Tuteamos a la gente.",
      must_avoid: ["alcohol", "tabaco", "música triste"],
    },
  },
  {
    name: "bullets under SÍ and NO",
    text: "SÍ\n- gente real\n- luz natural\nNO\n- fotos de stock\n- textos largos",
    expected: { must_include: ["gente real", "luz natural"], must_avoid: ["fotos de stock", "textos largos"] },
  },
  {
    name: "one line",
    text: "elegante, lento, sin texto en pantalla, tonos beige y dorado",
    expected: {
      tone: "elegante",
      tempo: "slow",
      color_palette: ["#f5f5dc", "#ffd700"],
      must_avoid: ["texto en pantalla"],
    },
  },
  {
    name: "exclamations and a formal address",
    text: "¡Nada de prisas! El ritmo es pausado. Hablamos de usted, con respeto. El logotipo debe aparecer al final.",
    expected: {
      tempo: "slow",
      brand_voice: "Hablamos de usted, con respeto.",
      must_include: ["logotipo al final"],
    },
  },
  {
    name: "a company text that says nothing about style",
    text: "Entregamos rápido y sin gastos de envío. No hay pedido mínimo. Nuestro café de tueste lento viene de fincas que no usan pesticidas.",
    expected: {},
  },
  {
    name: "requests to the editors",
    text: "Que no sea demasiado rápido, por favor. Cámara fija. No uséis zooms; tampoco filtros. Paleta: #fff3e0; #e65100.",
    expected: {
      tempo: "medium",
      color_palette: ["#fff3e0", "#e65100"],
      camera_style: "Cámara fija.",
      must_avoid: ["zooms", "filtros"],
    },
  },
  {
    name: "a wish as one sentence",
    text: "Queremos un vídeo cálido y optimista, con ritmo ágil y sin cámara lenta. La mascota tiene que salir en todas las escenas.",
    expected: {
      tone: "cálido, optimista",
      tempo: "fast",
      must_include: ["mascota en todas las escenas"],
      must_avoid: ["cámara lenta"],
    },
  },
  {
    name: "a brief for ice cream",
    text: "Brief: Helados Luma. Público: familias. Tono alegre y veraniego, nunca infantil. Colores pastel: rosa, menta y #FFF1C1. Planos detalle del helado derritiéndose. Que no se vean marcas de la competencia.",
    expected: {
      tone: "alegre, veraniego",
      color_palette: ["#ffc0cb", "#9fe3c5", "#fff1c1"],
      camera_style: "Planos detalle del helado derritiéndose.",
      must_avoid: ["infantil", "marcas de la competencia"],
    },
  },
  {
    name: "a message to the editors",
    text: "Hola! el video tiene que ser corto y directo, sin música de stock. Mostrad la app en un móvil real. Hablad de tú. Nada de tecnicismos!!",
    expected: {
      tone: "directo",
      brand_voice: "Hablad de tú.",
      must_include: ["app en un móvil real"],
      must_avoid: ["música de stock", "tecnicismos"],
    },
  },
  {
    name: "fields in capitals",
    text: `TONO: sobrio, institucional
RITMO: lento
CÁMARA: trípode, planos generales
VOZ: usted, frases completas
OBLIGATORIO: escudo, subtítulos
PROHIBIDO: humor, emojis, música con letra`,
    expected: {
      tone: "sobrio, institucional",
      tempo: "slow",
      camera_style: "trípode, planos generales",
      brand_voice: "usted, frases completas",
      must_include: ["escudo", "subtítulos"],
      must_avoid: ["humor", "emojis", "música con letra"],
    },
  },
  {
    name: "sentences about editing, colors and the ending",
    text: "El montaje debe ser dinámico, aunque sin mareos. Evita mostrar menores. La paleta es verde botella (#0B3D2E), blanco roto y dorado. Cierra siempre con el eslogan «Hecho a mano».",
    expected: {
      tempo: "fast",
      color_palette: ["#0b3d2e", "#f4f4f4", "#ffd700"],
      must_include: ["eslogan «Hecho a mano»"],
      must_avoid: ["mareos", "menores"],
    },
  },
  {
    name: "the page of a bicycle maker",
    text: "Fabricamos bicicletas desde 1990. Son rápidas, ligeras y nunca se oxidan. Disponibles en rojo y negro. No incluye pedales. Evite la exposición al sol.",
    expected: {},
  },
  {
    name: "two lists in lines",
    text: "Qué sí: artesanos trabajando, luz de la mañana, manos\nQué no: sonrisas forzadas, filtros, drones",
    expected: {
      must_include: ["artesanos trabajando", "luz de la mañana", "manos"],
      must_avoid: ["sonrisas forzadas", "filtros", "drones"],
    },
  },
  {
    name: "yes and no to things",
    text: "No al clickbait. No a los textos largos. Sí a los silencios. Ritmo tranquilo, nunca aburrido.",
    expected: {
      tempo: "slow",
      must_include: ["silencios"],
      must_avoid: ["clickbait", "textos largos", "aburrido"],
    },
  },
  {
    name: "sentences about a brand",
    text: "La marca habla como una amiga: cercana, con humor, sin palabrotas. Los vídeos son de ritmo medio. Siempre aparece el perro. Jamás se ve el precio.",
    expected: {
      tempo: "medium",
      brand_voice: "La marca habla como una amiga: cercana, con humor, sin palabrotas.",
      must_include: ["perro"],
      must_avoid: ["palabrotas", "precio"],
    },
  },
  {
    name: "fields in one paragraph",
    text: "Tono: serio, pero cercano. Ritmo: más bien lento. No usar: emojis, signos de exclamación. Usar siempre: subtítulos. Color principal: #7A1F3D.",
    expected: {
      tone: "serio, pero cercano",
      tempo: "slow",
      color_palette: ["#7a1f3d"],
      must_include: ["subtítulos"],
      must_avoid: ["emojis", "signos de exclamación"],
    },
  },
  {
    name: "a cheeky advertisement",
    text: "Queremos un anuncio gamberro y rápido, con mucho color. Que no parezca un anuncio de banco. Prohibido decir «barato». La tienda debe verse al principio.",
    expected: {
      tone: "gamberro",
      tempo: "fast",
      must_include: ["tienda al principio"],
      must_avoid: ["un anuncio de banco", "barato"],
    },
  },
  {
    name: "short orders",
    text: "Cámara siempre fija, a la altura de los ojos. Hablamos de tú. Ni música épica ni voz en off. Blanco, negro y un toque de rojo.",
    expected: {
      color_palette: ["#ffffff", "#000000", "#ff0000"],
      camera_style: "Cámara siempre fija, a la altura de los ojos.",
      brand_voice: "Hablamos de tú.",
      must_avoid: ["música épica", "voz en off"],
    },
  },
  {
    name: "prose about a dentist",
    text: "Nuestra clínica dental lleva 20 años en Gijón. Los vídeos son tranquilos y luminosos. Evitar sangre, agujas y batas verdes. Mostrar siempre sonrisas reales.",
    expected: {
      tone: "tranquilo, luminoso",
      must_include: ["sonrisas reales"],
      must_avoid: ["sangre", "agujas", "batas verdes"],
    },
  },
  {
    name: "a documentary about wine",
    text: "Estilo: documental. No queremos actores ni guiones leídos. Ritmo lento. Planos largos. Siempre la etiqueta del vino.",
    expected: {
      tone: "documental",
      tempo: "slow",
      camera_style: "Planos largos.",
      must_include: ["etiqueta del vino"],
      must_avoid: ["actores", "guiones leídos"],
    },
  },
  {
    name: "a tone without its excess",
    text: "El tono debe ser optimista sin ser ingenuo. Colores: verde (#2E8B57) y blanco. Nunca decir «milagro». Hablamos de tú a tú.",
    expected: {
      tone: "optimista",
      color_palette: ["#2e8b57", "#ffffff"],
      brand_voice: "Hablamos de tú a tú.",
      must_avoid: ["ingenuo", "milagro"],
    },
  },
  {
    name: "a short order",
    text: "Vídeo corto, dinámico, nada de texto. Música: ninguna. Que salga el producto en los primeros 3 segundos.",
    expected: {
      tone: "dinámico",
      must_include: ["producto en los primeros 3 segundos"],
      must_avoid: ["texto", "Música"],
    },
  },
];
