/**
 * Quantities: what a job asks for, what a node has, how amounts are written. Integers in base units
 * throughout.
 */
@NullMarked
package dev.fairlead.kernel.resources;

import org.jspecify.annotations.NullMarked;
