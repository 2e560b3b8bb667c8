/**
 * Hard constraints. Each filter decides which nodes can take a member and has a name for its
 * refusals.
 */
@NullMarked
package dev.fairlead.work.placement.filter;

import org.jspecify.annotations.NullMarked;
