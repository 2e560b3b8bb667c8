/** Members of an attempt and the devices that they hold. */
@NullMarked
package dev.fairlead.work.attempt.member;

import org.jspecify.annotations.NullMarked;
