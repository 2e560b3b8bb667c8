/** Ray pools: assignment of drivers to Ray clusters. */
@NullMarked
package dev.fairlead.work.raypool;

import org.jspecify.annotations.NullMarked;
