/** Nodes that a supplier adds to a pool on request and takes back, and when it has none. */
@NullMarked
package dev.fairlead.care.supply;

import org.jspecify.annotations.NullMarked;
