from tamis.table._dataset import Dataset as Dataset
from tamis.table._dataset import TableError as TableError
from tamis.table._table import Table as Table
from tamis.table._write import write as write
from tamis.table.reading.read import read as read
