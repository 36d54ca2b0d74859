export const countedText = (text: string, _from: number, _progress: number, _language?: string): string => text;
