const placeholder = /\{\{([^{}]+)\}\}/g;

const entities: Readonly<Record<string, string>> = {
  ...{ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;", "`": "&#96;", "=": "&#61;" },
  // a value is no placeholder
  ...{ "{": "&#123;", "}": "&#125;" },
};

/** A text in which nothing is markup, in attributes as well. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"'`={}]/g, (letter) => entities[letter]!);

/** Fills `{{key}}` in HTML with escaped values; those without a value stay. */
export const fillHtml = (html: string, values: Readonly<Record<string, string>>): string =>
  html.replace(placeholder, (match, inner: string) => {
    const key = inner.trim();
    return Object.hasOwn(values, key) ? escapeHtml(values[key]!) : match;
  });
