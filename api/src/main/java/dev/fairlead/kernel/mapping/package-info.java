/** Annotations of operations: what all of them share, and the bodies that they read. */
@NullMarked
package dev.fairlead.kernel.mapping;

import org.jspecify.annotations.NullMarked;
