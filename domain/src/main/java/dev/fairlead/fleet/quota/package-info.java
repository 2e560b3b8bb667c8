/** Who may use how much: a tree of quota nodes whose leaves are queues, and its arithmetic. */
@NullMarked
package dev.fairlead.fleet.quota;

import org.jspecify.annotations.NullMarked;
