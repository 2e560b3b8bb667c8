/**
 * Hard constraints: each says which nodes can take a member at all, and under which name it
 * refuses.
 */
@NullMarked
package dev.fairlead.work.placement.filter;

import org.jspecify.annotations.NullMarked;
