/** Quantities of requests and nodes, and their text form. Integers in base units throughout. */
@NullMarked
package dev.fairlead.kernel.resources;

import org.jspecify.annotations.NullMarked;
