/** Transaction boundaries, and the ways in which a commit can be refused. */
@NullMarked
package dev.fairlead.kernel.transaction;

import org.jspecify.annotations.NullMarked;
