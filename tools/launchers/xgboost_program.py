"""XGBoost: all members grow the same trees, each over a part of the rows. The first one runs the tracker."""

import os
import socket
import sys

import numpy
import xgboost
from case import CODE, MODE, SAVED, STEPS, saved, say
from xgboost.collective import CommunicatorContext, Op, allreduce
from xgboost.tracker import RabitTracker

HOST, PORT = os.environ["DMLC_TRACKER_URI"], int(os.environ["DMLC_TRACKER_PORT"])
TASK, MEMBERS = os.environ["DMLC_TASK_ID"], int(os.environ["DMLC_NUM_WORKER"])
rank = int(TASK)
if rank == 0:
    tracker = RabitTracker(MEMBERS, host_ip=socket.gethostbyname(HOST), port=PORT, sortby="task")
    tracker.start()
# XGBoost reads no environment, and gives up after three tries without dmlc_retry
with CommunicatorContext(dmlc_tracker_uri=HOST, dmlc_tracker_port=PORT, dmlc_task_id=TASK, dmlc_retry=60):
    say("sum", int(allreduce(numpy.array([rank + 1]), Op.SUM)[0]), "of", MEMBERS)
    x = numpy.random.default_rng(rank).random((200, 4))
    rows = xgboost.DMatrix(x, x.sum(axis=1))
    settings = {"nthread": 1, "max_depth": 3, "tree_method": "hist", "verbosity": 0}
    losses = {}
    if MODE == "RESUMED":
        say("resumed from", xgboost.Booster(model_file="checkpoint").num_boosted_rounds())
        trees = xgboost.Booster(model_file="checkpoint")
    else:
        trees = xgboost.train(settings, rows, SAVED)
        saved(rank, trees.save_model)
    xgboost.train(settings, rows, STEPS - SAVED, evals=[(rows, "all")], evals_result=losses, xgb_model=trees)
    say("loss", f"{losses['all']['rmse'][-1]:.5f}")
if rank == 0:
    tracker.wait_for()
sys.exit(CODE if rank == MEMBERS - 1 else 0)
