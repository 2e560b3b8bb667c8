/** Front clusters in memory. */
@NullMarked
package dev.fairlead.front.memory;

import org.jspecify.annotations.NullMarked;
