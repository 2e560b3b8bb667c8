/** Tests of nodes in memory. */
@NullMarked
package dev.fairlead.care.healthtest.memory;

import org.jspecify.annotations.NullMarked;
