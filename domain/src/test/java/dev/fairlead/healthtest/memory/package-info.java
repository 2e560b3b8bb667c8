/** Tests of nodes in memory. */
@NullMarked
package dev.fairlead.healthtest.memory;

import org.jspecify.annotations.NullMarked;
