/** Quota: a tree of quota nodes with queues as leaves, and its arithmetic. */
@NullMarked
package dev.fairlead.fleet.quota;

import org.jspecify.annotations.NullMarked;
