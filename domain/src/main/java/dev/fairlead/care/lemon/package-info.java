/** Nodes that fail repeatedly. */
@NullMarked
package dev.fairlead.care.lemon;

import org.jspecify.annotations.NullMarked;
