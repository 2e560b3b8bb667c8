/** Clusters whose native Jobs run on any cluster of the pool. */
@NullMarked
package dev.fairlead.front;

import org.jspecify.annotations.NullMarked;
