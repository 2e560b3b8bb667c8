/** Quarantines of GPUs, nodes and failure domains, and their store. */
@NullMarked
package dev.fairlead.care.health.quarantine;

import org.jspecify.annotations.NullMarked;
