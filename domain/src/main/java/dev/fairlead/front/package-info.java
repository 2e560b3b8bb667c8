/** Clusters whose own Jobs run anywhere in the pool. */
@NullMarked
package dev.fairlead.front;

import org.jspecify.annotations.NullMarked;
