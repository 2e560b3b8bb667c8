/** Output of members that remains after their pods are deleted. */
@NullMarked
package dev.fairlead.work.log;

import org.jspecify.annotations.NullMarked;
