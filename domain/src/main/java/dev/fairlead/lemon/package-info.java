/** Nodes that break again and again. */
@NullMarked
package dev.fairlead.lemon;

import org.jspecify.annotations.NullMarked;
