/** Progress reports of running attempts, and the consequences of their silence. */
@NullMarked
package dev.fairlead.work.progress;

import org.jspecify.annotations.NullMarked;
