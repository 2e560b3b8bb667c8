/** Legal holds in memory. */
@NullMarked
package dev.fairlead.legalhold.memory;

import org.jspecify.annotations.NullMarked;
