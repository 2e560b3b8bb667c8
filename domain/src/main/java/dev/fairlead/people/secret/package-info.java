/**
 * Secret values that a project stores for its jobs. They can be written but never read back by
 * people.
 */
@NullMarked
package dev.fairlead.people.secret;

import org.jspecify.annotations.NullMarked;
