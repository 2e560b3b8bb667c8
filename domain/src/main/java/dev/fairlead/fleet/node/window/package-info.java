/** Windows in which a pool is open, and the policy for jobs at their end. */
@NullMarked
package dev.fairlead.fleet.node.window;

import org.jspecify.annotations.NullMarked;
