// the first model of each list is the default

export const openaiTextModels = [
  { id: "gpt-6-luna", name: "GPT-6 Luna" },
  { id: "gpt-6-sol", name: "GPT-6 Sol" },
  { id: "gpt-6-astra", name: "GPT-6 Astra" },
  { id: "gpt-6.1-sol", name: "GPT-6.1 Sol" },
  { id: "gpt-6.1-terra", name: "GPT-6.1 Terra" },
] as const;

export const openaiImageModels = [
  { id: "gpt-image-2.5-flare", name: "GPT Image 2.5 Flare" },
  { id: "gpt-image-2.6-flare", name: "GPT Image 2.6 Flare" },
  { id: "gpt-image-2.6-sunburst", name: "GPT Image 2.6 Sunburst" },
  { id: "gpt-image-2", name: "GPT Image 2" },
] as const;
