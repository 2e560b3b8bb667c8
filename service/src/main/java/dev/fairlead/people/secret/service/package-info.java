/** Who may write secrets of projects, and the way from one key to the next. */
@NullMarked
package dev.fairlead.people.secret.service;

import org.jspecify.annotations.NullMarked;
