/** Nodes that a provisioner adds to a pool on request and removes, and its shortages. */
@NullMarked
package dev.fairlead.care.supply;

import org.jspecify.annotations.NullMarked;
