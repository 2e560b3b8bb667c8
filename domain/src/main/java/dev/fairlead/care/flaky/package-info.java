/** Nodes that fail repeatedly. */
@NullMarked
package dev.fairlead.care.flaky;

import org.jspecify.annotations.NullMarked;
