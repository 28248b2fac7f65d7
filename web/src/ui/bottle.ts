/** Our bottle, in a box of 24 by 32. */
export const bottleOutline =
  'M9.5 5.5h5v2.2c0 .6.3 1.1.8 1.4l3 1.7A4.5 4.5 0 0 1 20.6 14.7V28.1A2.9 2.9 0 0 1 17.7 31H6.3A2.9 2.9 0 0 1 3.4 28.1V14.7A4.5 4.5 0 0 1 5.7 10.8l3-1.7c.5-.3.8-.8.8-1.4z'
export const bottleSpray = 'M9.5 1h5v4h-5z'
/** What its juice can fill, from `bottleTop` to `bottleBottom`. */
export const bottleInside =
  'M9.8 9.5h4.4c.3.4.6.7 1 .9l2.6 1.5A3.2 3.2 0 0 1 19.1 14.7V27.9A1.6 1.6 0 0 1 17.5 29.5H6.5A1.6 1.6 0 0 1 4.9 27.9V14.7A3.2 3.2 0 0 1 6.2 11.9l2.6-1.5c.4-.2.7-.5 1-.9z'
export const bottleTop = 9.5
export const bottleBottom = 29.5
