/** Logs in a directory. */
@NullMarked
package dev.fairlead.log.directory;

import org.jspecify.annotations.NullMarked;
