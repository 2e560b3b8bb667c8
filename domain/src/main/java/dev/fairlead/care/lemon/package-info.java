/** Nodes that break again and again. */
@NullMarked
package dev.fairlead.care.lemon;

import org.jspecify.annotations.NullMarked;
